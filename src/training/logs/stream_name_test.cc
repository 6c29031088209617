#include <gtest/gtest.h>

#include "training/logs/logs.h"

namespace evener::logs {
namespace {

TEST(StreamName, IsJobHostAndEpochSeconds) {
  EXPECT_EQ(stream_name("job-1", "algo-1", from_millis(1699307977999)), "job-1/algo-1-1699307977");
}

}  // namespace
}  // namespace evener::logs
