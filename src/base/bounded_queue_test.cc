#include "base/bounded_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <thread>

namespace evener {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kLongEnough{20'000};

TEST(BoundedQueue, KeepsOrderAndDrainsAfterClosing) {
  BoundedQueue<int> queue(3);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(queue.push(i));
  queue.close();
  EXPECT_FALSE(queue.push(9));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(queue.pop(), i);
  EXPECT_FALSE(queue.pop());
}

TEST(BoundedQueue, TakesItemsThatCannotBeCopied) {
  BoundedQueue<std::unique_ptr<int>> queue(1);
  EXPECT_TRUE(queue.push(std::make_unique<int>(5)));
  EXPECT_EQ(**queue.pop(), 5);
}

TEST(BoundedQueue, FullQueueHoldsThePusherUntilThereIsRoom) {
  BoundedQueue<int> queue(1);
  ASSERT_TRUE(queue.push(1));
  std::jthread pusher([&] { EXPECT_TRUE(queue.push(2)); });
  EXPECT_EQ(queue.pop(), 1);
  EXPECT_EQ(queue.pop(), 2);
}

TEST(BoundedQueue, StopTokenFreesPusherAndPopper) {
  BoundedQueue<int> full(1);
  BoundedQueue<int> empty(1);
  ASSERT_TRUE(full.push(1));
  std::jthread pusher([&](std::stop_token stop) { EXPECT_FALSE(full.push(2, stop)); });
  std::jthread popper([&](std::stop_token stop) { EXPECT_FALSE(empty.pop(stop)); });
  std::jthread taker([&](std::stop_token stop) {
    EXPECT_TRUE(empty.take_all(kLongEnough, stop).empty());
  });
  // Destruction asks each to stop and joins.
}

TEST(BoundedQueue, ClosingFreesAllThatWait) {
  BoundedQueue<int> full(1);
  BoundedQueue<int> empty(1);
  ASSERT_TRUE(full.push(1));
  std::jthread pusher([&] { EXPECT_FALSE(full.push(2)); });
  std::jthread popper([&] { EXPECT_FALSE(empty.pop()); });
  full.close();
  empty.close();
}

TEST(BoundedQueue, TakeAllGivesWhatIsThereOrNothingAfterItsTimeout) {
  BoundedQueue<int> queue(4);
  EXPECT_TRUE(queue.take_all(milliseconds(1)).empty());
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(queue.push(i));
  EXPECT_EQ(queue.take_all(kLongEnough), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_TRUE(queue.take_all(milliseconds(0)).empty());
}

TEST(BoundedQueue, LongestTimeoutWaitsForAnItem) {
  BoundedQueue<int> queue(1);
  std::jthread pusher([&] { EXPECT_TRUE(queue.push(1)); });
  EXPECT_EQ(queue.take_all(milliseconds::max()), std::vector<int>{1});
}

TEST(BoundedQueue, NothingIsLostOrDoubledBetweenManyThreads) {
  constexpr int kProducers = 3;
  constexpr int kConsumers = 3;
  constexpr int kEach = 2000;
  BoundedQueue<int> queue(7);
  std::vector<std::vector<int>> taken(kConsumers);
  {
    std::vector<std::jthread> consumers;
    for (auto& mine : taken) {
      consumers.emplace_back([&queue, &mine] {
        while (auto item = queue.pop()) mine.push_back(*item);
      });
    }
    {
      std::vector<std::jthread> producers;
      for (int p = 0; p < kProducers; ++p) {
        producers.emplace_back([&queue, p] {
          for (int i = 0; i < kEach; ++i) ASSERT_TRUE(queue.push(p * kEach + i));
        });
      }
    }
    queue.close();
  }
  std::vector<int> all;
  for (const auto& mine : taken) {
    for (int p = 0; p < kProducers; ++p) {
      std::vector<int> of_one;
      for (int item : mine)
        if (item / kEach == p) of_one.push_back(item);
      EXPECT_TRUE(std::ranges::is_sorted(of_one)) << "order of one producer";
    }
    all.insert(all.end(), mine.begin(), mine.end());
  }
  std::ranges::sort(all);
  std::vector<int> expected(kProducers * kEach);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(all, expected);
}

}  // namespace
}  // namespace evener
