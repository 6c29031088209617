#include "control_plane/cloudwatch/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace evener::control_plane {
namespace {

double value_of(const std::vector<double>& values, std::string_view stat) {
  Bucket bucket;
  for (const double value : values) bucket.add(value, Keep::kValues);
  return bucket.value(*stat_from(stat));
}

TEST(Statistics, HaveNames) {
  for (int i = 0; i <= static_cast<int>(Statistic::kPercentile); ++i) {
    const auto statistic = static_cast<Statistic>(i);
    EXPECT_EQ(statistic_from(to_string(statistic)), statistic);
  }
}

TEST(Statistics, AreReadByTheirNames) {
  EXPECT_EQ(stat_from("Average"), (Stat{Statistic::kAverage, 0}));
  EXPECT_EQ(stat_from("p99.9"), (Stat{Statistic::kPercentile, 99.9}));
  EXPECT_EQ(stat_from("p0"), (Stat{Statistic::kPercentile, 0}));
  EXPECT_EQ(stat_from("p100"), (Stat{Statistic::kPercentile, 100}));
  for (const char* text : {"", "p", "average", "p100.1", "p-1", "p1e1", "pinf", "tm90", "IQM", "p1.2.3"})
    EXPECT_FALSE(stat_from(text).has_value()) << text;
}

TEST(Statistics, TellOfTheValuesOfAPeriod) {
  const std::vector<double> values = {4, 1, 3, 2};
  EXPECT_EQ(value_of(values, "Average"), 2.5);
  EXPECT_EQ(value_of(values, "Sum"), 10);
  EXPECT_EQ(value_of(values, "Minimum"), 1);
  EXPECT_EQ(value_of(values, "Maximum"), 4);
  EXPECT_EQ(value_of(values, "SampleCount"), 4);
  EXPECT_EQ(value_of(values, "p0"), 1);
  EXPECT_EQ(value_of(values, "p50"), 2.5);
  EXPECT_EQ(value_of(values, "p100"), 4);
  EXPECT_EQ(value_of({7}, "p99"), 7);
  EXPECT_EQ(value_of({-5}, "Maximum"), -5);
}

TEST(Statistics, StayFinite) {
  EXPECT_TRUE(std::isfinite(value_of({1.7e308, 1.7e308}, "Sum")));
  EXPECT_TRUE(std::isfinite(value_of({-1.7e308, 1.7e308}, "p30")));
}

TEST(Periods, BeginAtAWholePeriodOrMinute) {
  EXPECT_EQ(periods_of(90'500, 300'000, 60).start, 60'000);
  EXPECT_EQ(periods_of(90'500, 300'000, 300).start, 60'000);
  EXPECT_EQ(periods_of(90'500, 300'000, 5).start, 90'000);
  EXPECT_EQ(periods_of(90'500, 300'000, 1).start, 90'000);
  EXPECT_EQ(periods_of(-1, 300'000, 1).start, -1000);
  EXPECT_EQ(count_of(periods_of(60'000, 180'000, 60)), 2);
  EXPECT_EQ(count_of(periods_of(60'000, 180'001, 60)), 3);
}

TEST(Buckets, HoldValuesByTheStartOfTheirPeriod) {
  Buckets buckets(periods_of(60'000, 240'000, 60), Keep::kTotals);
  for (const std::int64_t millis : {59'999, 60'000, 119'999, 180'000, 60'001, 240'000})
    buckets.add(millis, static_cast<double>(millis));
  const Buckets moved = std::move(buckets);
  ASSERT_EQ(moved.all().size(), 2u);
  EXPECT_EQ(moved.all().at(60'000).value({Statistic::kSampleCount, 0}), 3);
  EXPECT_EQ(moved.all().at(180'000).value({Statistic::kSum, 0}), 180'000);
}

}  // namespace
}  // namespace evener::control_plane
