#include "base/clock.h"

#include <gtest/gtest.h>

namespace evener {
namespace {

using std::chrono::milliseconds;

TEST(Clock, FakeClockMovesOnlyWhenTold) {
  FakeClock clock(from_millis(1000));
  const MonotonicTime start = clock.monotonic_now();
  EXPECT_EQ(to_millis(clock.wall_now()), 1000);
  clock.advance(milliseconds(250));
  EXPECT_EQ(to_millis(clock.wall_now()), 1250);
  EXPECT_EQ(clock.monotonic_now() - start, milliseconds(250));
}

TEST(Clock, WallTimeMayGoBackWhileMonotonicTimeDoesNot) {
  FakeClock clock(from_millis(1000));
  clock.advance(milliseconds(5));
  const MonotonicTime before = clock.monotonic_now();
  clock.set_wall(from_millis(10));
  EXPECT_EQ(to_millis(clock.wall_now()), 10);
  EXPECT_EQ(clock.monotonic_now(), before);
}

TEST(Clock, SystemClockIsOfThisCenturyAndDoesNotGoBack) {
  const SystemClock clock;
  EXPECT_GT(to_millis(clock.wall_now()), 1'600'000'000'000);
  const MonotonicTime first = clock.monotonic_now();
  EXPECT_LE(first, clock.monotonic_now());
}

}  // namespace
}  // namespace evener
