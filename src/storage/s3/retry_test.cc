#include "storage/s3/retry.h"

#include <gtest/gtest.h>

namespace evener::storage {
namespace {

using std::chrono::milliseconds;

TEST(Retries, DelaysDoubleUpToALimitAndAreSpread) {
  const RetryLimits limits;
  milliseconds whole = limits.first_delay;
  for (int failures = 1; failures < 40; ++failures) {
    EXPECT_EQ(retry_delay(limits, failures, Pace::kNormal, 0), whole / 2) << failures;
    for (const std::uint64_t random : {1ull, 999ull, ~0ull})
      EXPECT_LE(retry_delay(limits, failures, Pace::kNormal, random), whole);
    whole = std::min(2 * whole, limits.longest_delay);
  }
  EXPECT_GT(retry_delay(limits, 1, Pace::kSlowDown, 0), retry_delay(limits, 1, Pace::kNormal, 0));
}

TEST(Retries, PatienceEndsAndProgressRenewsIt) {
  FakeClock clock(from_millis(0));
  const RetryLimits limits{.patience = milliseconds(1000)};
  Patience patience(limits, clock);
  EXPECT_TRUE(patience.failed(Pace::kNormal, 0));
  clock.advance(milliseconds(999));
  EXPECT_EQ(patience.failed(Pace::kNormal, 0), milliseconds(1)) << "not beyond the end";
  clock.advance(milliseconds(1));
  EXPECT_FALSE(patience.failed(Pace::kNormal, 0));
  patience.progressed();
  EXPECT_TRUE(patience.failed(Pace::kNormal, 0));
}

}  // namespace
}  // namespace evener::storage
