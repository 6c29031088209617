#include "evener/live_table.h"

#include <gtest/gtest.h>

#include <cmath>

#include "evener/text_table.h"

namespace evener::app {
namespace {

jobs::TrainingJob two_group_job() {
  jobs::TrainingJob job;
  job.spec.name = "photos";
  job.spec.groups = {{.name = "data_group", .instance_type = "ml.c5.2xlarge", .count = 1,
                      .shape = {.vcpus = 8}},
                     {.name = "dnn_group", .instance_type = "ml.g5.2xlarge", .count = 1,
                      .shape = {.vcpus = 8}}};
  job.secondary = jobs::SecondaryStatus::kTraining;
  job.created = from_millis(1000);
  job.launched = from_millis(1000);
  job.instances.resize(2);
  job.instances[0].placement = {.host = "algo-1", .group = 0};
  job.instances[1].placement = {.host = "algo-2", .group = 1};
  return job;
}

TEST(Bar, FillsByEighthsAndIsAlwaysAsWideAsAsked) {
  EXPECT_EQ(bar(0, 4), "    ");
  EXPECT_EQ(bar(1, 4), "████");
  EXPECT_EQ(bar(0.5, 4), "██  ");
  EXPECT_EQ(bar(0.125, 1), "▏");
  for (const double fraction : {-1.0, 0.01, 0.33, 0.999, 7.0, std::nan("")})
    EXPECT_EQ(display_width(bar(fraction, 10)), 10u) << fraction;
}

TEST(LiveTable, ShowsEveryHostWithItsGroupPhaseAndCpuBar) {
  LiveState state;
  state.last_samples["algo-1"] = {.time = {}, .host = "algo-1", .cpu_percent = 400, .memory_bytes = 1 << 20};
  const auto lines = render_live_table(two_group_job(), state, from_millis(3500), 120, 10);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0], "photos  InProgress / Training  2.5 s");
  EXPECT_NE(lines[2].find("algo-1  data_group"), std::string::npos);
  EXPECT_NE(lines[2].find("████████         400 %"), std::string::npos);
  EXPECT_NE(lines[3].find("algo-2  dnn_group"), std::string::npos);
}

TEST(LiveTable, DrawsAFullBarForAnInstanceThatUsesAllThatTheMachineHas) {
  LiveState state;
  state.machine_cpus = 2;
  state.last_samples["algo-1"] = {.time = {}, .host = "algo-1", .cpu_percent = 200, .memory_bytes = 0};
  const auto lines = render_live_table(two_group_job(), state, from_millis(3500), 120, 10);
  EXPECT_NE(lines[2].find("████████████████ 200 %"), std::string::npos) << lines[2];
}

TEST(LiveTable, KeepsToTheWidthAndCountsHostsThatDoNotFit) {
  auto job = two_group_job();
  const auto lines = render_live_table(job, {}, from_millis(1000), 20, 1);
  for (const auto& line : lines) EXPECT_LE(display_width(line), 20u) << line;
  EXPECT_EQ(lines.back(), "… and 1 more hosts");
}

TEST(LiveTable, ShowsProgressOnlyOfThePhaseThatRuns) {
  auto job = two_group_job();
  LiveState state;
  state.progress["staging"] = {.time = {}, .phase = "staging", .done_bytes = 512, .total_bytes = 1024};
  EXPECT_EQ(render_live_table(job, state, from_millis(1000), 100, 10).size(), 4u);
  job.secondary = jobs::SecondaryStatus::kDownloading;
  const auto lines = render_live_table(job, state, from_millis(1000), 100, 10);
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_NE(lines.back().find("512 B of 1.0 KiB"), std::string::npos);
}

}  // namespace
}  // namespace evener::app
