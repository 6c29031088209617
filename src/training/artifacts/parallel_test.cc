#include "training/artifacts/parallel.h"

#include <gtest/gtest.h>

#include <atomic>

namespace evener::artifacts {
namespace {

TEST(Parallel, EveryTaskRunsOnceForAnyNumberOfThreads) {
  for (const std::size_t threads : {0u, 1u, 2u, 7u}) {
    std::vector<std::atomic<int>> calls(100);
    const Status done = run_tasks(
        calls.size(), threads,
        [&](std::size_t, std::size_t index, std::stop_token) {
          ++calls[index];
          return ok();
        },
        {});
    ASSERT_TRUE(done.has_value());
    for (const auto& count : calls) EXPECT_EQ(count.load(), 1);
  }
}

TEST(Parallel, TheFirstErrorStopsTheRestAndIsReturned) {
  const Status done = run_tasks(
      1000, 3,
      [&](std::size_t, std::size_t index, std::stop_token) -> Status {
        if (index == 5) return failure(ErrorCode::kNoSpace, "five");
        return ok();
      },
      {});
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().message, "five");
}

TEST(Parallel, AStopRequestEndsBothWaysWithCancelled) {
  std::stop_source source;
  const Status tasks = run_tasks(
      1000, 2,
      [&](std::size_t, std::size_t index, std::stop_token) {
        if (index == 10) source.request_stop();
        return ok();
      },
      source.get_token());
  EXPECT_EQ(tasks.error().code, ErrorCode::kCancelled);
  const Status ordered = make_in_order(
      1000, 2, [](std::size_t, std::size_t, std::vector<std::byte>&) { return ok(); },
      [](std::size_t, std::span<const std::byte>) { return ok(); }, source.get_token());
  EXPECT_EQ(ordered.error().code, ErrorCode::kCancelled);
}

TEST(Parallel, ResultsArriveInOrderWhateverTheThreads) {
  for (const std::size_t threads : {1u, 2u, 5u}) {
    std::vector<std::size_t> seen;
    const Status done = make_in_order(
        500, threads,
        [](std::size_t, std::size_t index, std::vector<std::byte>& bytes) {
          bytes.assign(1, std::byte(index % 251));
          return ok();
        },
        [&](std::size_t index, std::span<const std::byte> bytes) {
          EXPECT_EQ(bytes[0], std::byte(index % 251));
          seen.push_back(index);
          return ok();
        },
        {});
    ASSERT_TRUE(done.has_value());
    ASSERT_EQ(seen.size(), 500u);
    for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], i);
  }
}

TEST(Parallel, AFailureOfEitherSideEndsTheOther) {
  const Status making = make_in_order(
      500, 2,
      [](std::size_t, std::size_t index, std::vector<std::byte>&) -> Status {
        if (index == 77) return failure(ErrorCode::kIo, "making");
        return ok();
      },
      [](std::size_t, std::span<const std::byte>) { return ok(); }, {});
  EXPECT_EQ(making.error().message, "making");
  const Status taking = make_in_order(
      500, 2, [](std::size_t, std::size_t, std::vector<std::byte>&) { return ok(); },
      [](std::size_t index, std::span<const std::byte>) -> Status {
        if (index == 9) return failure(ErrorCode::kNoSpace, "taking");
        return ok();
      },
      {});
  EXPECT_EQ(taking.error().message, "taking");
}

}  // namespace
}  // namespace evener::artifacts
