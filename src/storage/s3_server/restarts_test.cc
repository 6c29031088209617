#include "storage/s3_server/restarts.h"

#include <gtest/gtest.h>

#include "storage/s3_server/s3_server.h"

namespace evener::storage {
namespace {

using std::chrono::milliseconds;

TEST(Restarts, PausesDoubleUpToALimit) {
  FakeClock clock(from_millis(0));
  Restarts restarts;
  milliseconds expected = kFirstRestartDelay;
  for (int i = 0; i < 10; ++i) {
    const MonotonicTime started = clock.monotonic_now();
    clock.advance(milliseconds(100));
    EXPECT_EQ(restarts.ended(started, clock.monotonic_now()), expected);
    expected = std::min(2 * expected, kLongestRestartDelay);
  }
}

TEST(Restarts, ARunOfAMinuteForgivesWhatWasBefore) {
  FakeClock clock(from_millis(0));
  Restarts restarts;
  for (int i = 0; i < 4; ++i) (void)restarts.ended(clock.monotonic_now(), clock.monotonic_now());
  const MonotonicTime started = clock.monotonic_now();
  clock.advance(kSteadyAfter);
  EXPECT_EQ(restarts.ended(started, clock.monotonic_now()), kFirstRestartDelay);
}

TEST(S3ServerStates, AreReadBack) {
  for (const auto state : {S3ServerState::kStarting, S3ServerState::kReady, S3ServerState::kWaiting,
                           S3ServerState::kStopped})
    EXPECT_EQ(s3_server_state_from(to_string(state)).value(), state);
  EXPECT_FALSE(s3_server_state_from("else"));
}

}  // namespace
}  // namespace evener::storage
