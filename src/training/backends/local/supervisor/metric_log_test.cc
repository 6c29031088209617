#include "training/backends/local/supervisor/metric_log.h"

#include <gtest/gtest.h>

#include "os/temporary_folder_test.h"

namespace evener::backends {
namespace {

jobs::JobSpec spec_with(std::vector<jobs::MetricDefinition> definitions) {
  jobs::JobSpec spec;
  spec.name = "job";
  spec.metric_definitions = std::move(definitions);
  return spec;
}

TEST(MetricLog, LooksForNothingWithoutDefinitions) {
  const os::TemporaryFolder folder;
  const MetricLog log(spec_with({}), folder.path() / "metrics");
  EXPECT_FALSE(log.looks());
  EXPECT_TRUE(log.last_values().empty());
  EXPECT_TRUE(log.notices().empty());
}

TEST(MetricLog, WritesPointsOfAllHostsAndKeepsTheLastOfEachMetric) {
  const os::TemporaryFolder folder;
  MetricLog log(spec_with({{"loss", "loss=([0-9.]+)"},
                           {"rate", "rate=([0-9.]+)"},
                           {"loss", "final ([0-9.]+)"},
                           {"never", "never=([0-9.]+)"}}),
                folder.path() / "metrics");
  ASSERT_TRUE(log.looks());
  log.line("algo-1", from_millis(1'700'000'000'000), "loss=0.5 rate=10");
  log.line("algo-2", from_millis(1'700'000'000'001), "loss=0.25");
  log.line("algo-1", from_millis(1'700'000'000'002), "final 0.125");
  log.rest();
  EXPECT_EQ(os::content_of(folder.path() / "metrics"),
            "1700000000000 algo-1 0.5 loss\n1700000000000 algo-1 10 rate\n"
            "1700000000001 algo-2 0.25 loss\n1700000000002 algo-1 0.125 loss\n");
  EXPECT_EQ(log.last_values(),
            (std::vector<jobs::MetricValue>{{"loss", 0.125, from_millis(1'700'000'000'002)},
                                            {"rate", 10, from_millis(1'700'000'000'000)}}));
  EXPECT_TRUE(log.notices().empty());
}

TEST(MetricLog, KeepsLastValuesAndSaysSoWhereThePointsCannotBeWritten) {
  const os::TemporaryFolder folder;
  MetricLog log(spec_with({{"loss", "loss=([0-9.]+)"}}), folder.path() / "missing" / "metrics");
  log.line("algo-1", from_millis(1), "loss=0.5");
  log.rest();
  EXPECT_EQ(log.last_values().size(), 1u);
  ASSERT_EQ(log.notices().size(), 1u);
  EXPECT_NE(log.notices()[0].find("1 value(s) of metrics could not be written"), std::string::npos);
}

TEST(MetricLog, NoticesAPatternThatItCannotUse) {
  const os::TemporaryFolder folder;
  const MetricLog log(spec_with({{"loss", "(?=x)"}}), folder.path() / "metrics");
  EXPECT_FALSE(log.looks());
  ASSERT_EQ(log.notices().size(), 1u);
  EXPECT_NE(log.notices()[0].find("loss"), std::string::npos);
}

}  // namespace
}  // namespace evener::backends
