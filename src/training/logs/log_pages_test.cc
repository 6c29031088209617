#include <gtest/gtest.h>

#include "os/temporary_folder_test.h"
#include "training/logs/log_file.h"
#include "training/logs/logs.h"

namespace evener::logs {
namespace {

constexpr PageLimit kAll{.lines = 1'000'000, .bytes = 1u << 30};

class LogPagesTest : public ::testing::Test {
 protected:
  // 3000 lines of 100 bytes, ten a millisecond: several index entries.
  void SetUp() override {
    file_ = std::move(*LogFile::open(folder_.path(), "algo-1"));
    for (int i = 0; i < 3000; ++i) add(i);
    file_->flush();
    pages_ = std::move(*open_log_pages(folder_.path(), "algo-1"));
  }
  void add(int i) {
    std::string text = std::to_string(i);
    text.resize(100, '.');
    file_->add(from_millis(1'700'000'000'000 + i / 10), Mark::kLine, text);
  }
  static int number(const PlacedLine& line) { return std::stoi(line.line.text); }

  os::TemporaryFolder folder_{os::memory_or_temporary()};
  std::unique_ptr<LogFile> file_;
  std::unique_ptr<LogPages> pages_;
};

TEST_F(LogPagesTest, PagesForwardJoinWithoutGapOrOverlap) {
  std::uint64_t place = 0;
  int next = 0;
  while (true) {
    const auto page = pages_->after(place, {.lines = 7, .bytes = 1u << 20});
    ASSERT_TRUE(page);
    if (page->empty()) break;
    for (const PlacedLine& line : *page) ASSERT_EQ(number(line), next++);
    place = page->back().end;
  }
  EXPECT_EQ(next, 3000);
  EXPECT_EQ(place, *pages_->end());
}

TEST_F(LogPagesTest, PagesBackwardJoinWithoutGapOrOverlap) {
  std::uint64_t place = *pages_->end();
  int next = 3000;
  while (true) {
    const auto page = pages_->before(place, {.lines = 1001, .bytes = 1u << 20});
    ASSERT_TRUE(page);
    if (page->empty()) break;
    ASSERT_EQ(number(page->back()), next - 1);
    next = number(page->front());
    place = page->front().offset;
  }
  EXPECT_EQ(next, 0);
  EXPECT_EQ(place, 0u);
}

TEST_F(LogPagesTest, APageEndsAtItsLimitOfBytesButHasOneLine) {
  EXPECT_EQ(pages_->after(0, {.lines = 100, .bytes = 250})->size(), 2u);
  EXPECT_EQ(pages_->after(0, {.lines = 100, .bytes = 1})->size(), 1u);
  EXPECT_EQ(pages_->before(*pages_->end(), {.lines = 100, .bytes = 250})->size(), 2u);
}

TEST_F(LogPagesTest, ATimeLeadsToTheFirstLineNotBeforeIt) {
  const auto place = pages_->place_of(from_millis(1'700'000'000'123));
  EXPECT_EQ(number(pages_->after(*place, kAll)->front()), 1230);
  EXPECT_EQ(*pages_->place_of(from_millis(0)), 0u);
  EXPECT_EQ(*pages_->place_of(from_millis(1'800'000'000'000)), *pages_->end());
}

TEST_F(LogPagesTest, LinesThatComeLaterFollowTheLastPlace) {
  const std::uint64_t end = *pages_->end();
  EXPECT_TRUE(pages_->after(end, kAll)->empty());
  add(3000);
  file_->flush();
  const auto page = pages_->after(end, kAll);
  ASSERT_EQ(page->size(), 1u);
  EXPECT_EQ(number(page->front()), 3000);
}

TEST_F(LogPagesTest, ANumberThatIsNoPlaceIsRefused) {
  for (const std::uint64_t place : {std::uint64_t{1}, *pages_->end() + 1, UINT64_MAX})
    EXPECT_EQ(pages_->after(place, kAll).error().code, ErrorCode::kInvalidArgument);
  EXPECT_FALSE(pages_->before(17, kAll));
}

TEST_F(LogPagesTest, WithoutAnIndexAllIsFoundToo) {
  std::filesystem::remove(index_path(folder_.path(), "algo-1"));
  EXPECT_EQ(pages_->before(*pages_->end(), kAll)->size(), 3000u);
  EXPECT_EQ(number(pages_->after(*pages_->place_of(from_millis(1'700'000'000'200)), kAll)->front()),
            2000);
}

}  // namespace
}  // namespace evener::logs
