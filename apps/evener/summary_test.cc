#include "evener/summary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace evener::app {
namespace {

catalog::Catalog small_catalog() {
  auto parsed = catalog::Catalog::parse(
      {.instances_csv = "type,family,vcpus,memory_gib,accelerator,accelerator_count,"
                        "accelerator_memory_gib_each,network_gbit,architecture\n"
                        "ml.a.large,a,2,4,,0,,5,x86_64\n",
       .prices_csv = "type,service,region,term,usd_per_hour,as_of,source\n"
                     "ml.a.large,sagemaker-training,us-east-1,on-demand,3.6,2026-11-01,a list\n",
       .overrides_toml = ""});
  return std::move(*parsed);
}

jobs::TrainingJob finished_job() {
  jobs::TrainingJob job;
  job.spec.name = "photos";
  job.spec.groups = {{.name = "data", .instance_type = "ml.a.large", .count = 2},
                     {.name = "dnn", .instance_type = "ml.none", .count = 1}};
  job.status = jobs::JobStatus::kCompleted;
  job.created = from_millis(0);
  job.training_start = from_millis(1000);
  job.training_end = from_millis(11'000);
  job.transitions = {{.status = jobs::SecondaryStatus::kCompleted, .start = from_millis(11'000),
                      .end = from_millis(11'000), .message = ""}};
  job.instances.resize(3);
  for (int i = 0; i < 3; ++i)
    job.instances[static_cast<std::size_t>(i)].placement = {
        .host = "algo-" + std::to_string(i + 1), .group = i < 2 ? 0 : 1};
  jobs::InstanceUsage usage;
  for (const double mean : {100.0, 50.0, 20.0}) {
    usage.host = "algo-" + std::to_string(job.usage.size() + 1);
    usage.cpu_percent_mean = mean;
    usage.cpu_percent_max = mean * 2;
    usage.visible_cpus = 2;
    job.usage.push_back(usage);
  }
  return job;
}

cost::JobCost small_cost() {
  return cost::job_cost(group_uses(finished_job()), small_catalog(), "us-east-1",
                        from_millis(20'000));
}

TEST(Summary, AveragesWithinAGroupAndPricesEveryInstance) {
  const auto summary = summarize(finished_job(), small_cost(), "us-east-1", from_millis(20'000));
  ASSERT_EQ(summary.groups.size(), 2u);
  EXPECT_DOUBLE_EQ(summary.groups[0].cpu_percent_mean, 75);
  EXPECT_DOUBLE_EQ(summary.groups[0].cpu_percent_max, 200);
  EXPECT_EQ(summary.groups[0].billable_seconds, 10);
  EXPECT_NEAR(*summary.groups[0].usd, 2 * 10 * 3.6 / 3600, 1e-9);
}

TEST(Summary, DoesNotMakeUpATotalWhereAPriceIsMissing) {
  const auto summary = summarize(finished_job(), small_cost(), "us-east-1", from_millis(20'000));
  EXPECT_FALSE(summary.groups[1].usd);
  EXPECT_FALSE(summary.usd);
  const auto parsed = nlohmann::json::parse(summary_json(summary));
  EXPECT_TRUE(parsed["usd"].is_null());
  EXPECT_TRUE(parsed["artifacts"]["model"].is_null());
}

TEST(Summary, TellsTheLastValueOfTheFirstMetrics) {
  auto job = finished_job();
  for (int i = 0; i < 10; ++i)
    job.final_metrics.push_back({"m" + std::to_string(i), i + 0.25, from_millis(5)});
  const auto summary = summarize(job, small_cost(), "us-east-1", from_millis(20'000));
  const auto lines = summary_lines(summary);
  const auto line = std::ranges::find_if(lines, [](const std::string& one) {
    return one.starts_with("metrics");
  });
  ASSERT_NE(line, lines.end());
  EXPECT_EQ(*line, "metrics     m0 0.25, m1 1.25, m2 2.25, m3 3.25, m4 4.25, m5 5.25, m6 6.25, "
                   "m7 7.25, and 2 more");
  const auto parsed = nlohmann::json::parse(summary_json(summary));
  ASSERT_EQ(parsed["metrics"].size(), 10u);
  EXPECT_EQ(parsed["metrics"][1], nlohmann::json({{"name", "m1"}, {"value", 1.25}, {"t", 5}}));
}

TEST(SummaryJson, HasTheMembersThatProgramsReadByName) {
  const auto parsed = nlohmann::json::parse(
      summary_json(summarize(finished_job(), small_cost(), "us-east-1", from_millis(20'000))));
  EXPECT_EQ(parsed["event"], "summary");
  EXPECT_EQ(parsed["job"], "photos");
  EXPECT_EQ(parsed["status"], "Completed");
  for (const char* phase : {"starting", "downloading", "training", "uploading", "total"})
    EXPECT_TRUE(parsed["phases"].contains(phase)) << phase;
  for (const char* member : {"name", "type", "count", "cpu_percent_mean", "cpu_percent_max",
                             "billable_seconds", "usd"})
    EXPECT_TRUE(parsed["groups"][0].contains(member)) << member;
}

}  // namespace
}  // namespace evener::app
