#include "training/engine/inbox.h"

#include <gtest/gtest.h>

#include <thread>

namespace evener::engine {
namespace {

using namespace std::chrono_literals;

jobs::JobEvent event(const std::string& job) { return {job, {}, 0, jobs::Noticed{}}; }

TEST(Inbox, HandsOverInOrderAndAtMostWhatIsAskedFor) {
  Inbox inbox(10);
  for (const char* job : {"a", "b", "c"}) inbox.post(event(job));
  const auto two = inbox.take(1h, 2, {});
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[1].job, "b");
  EXPECT_EQ(inbox.take(1h, 9, {}).at(0).job, "c");
  EXPECT_TRUE(inbox.take(0ms, 9, {}).empty());
}

TEST(Inbox, AWakeEndsOneWait) {
  Inbox inbox(1);
  inbox.wake();
  EXPECT_TRUE(inbox.take(1h, 0, {}).empty());
}

TEST(Inbox, AStopEndsAWait) {
  Inbox inbox(1);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(inbox.take(1h, 1, stop.get_token()).empty());
}

TEST(Inbox, AFullOneMakesThePosterWaitAndClosingFreesIt) {
  Inbox inbox(1);
  inbox.post(event("a"));
  std::jthread poster([&] { inbox.post(event("b")); });
  inbox.close();
  poster.join();
  EXPECT_EQ(inbox.take(1h, 9, {}).at(0).job, "a");
}

}  // namespace
}  // namespace evener::engine
