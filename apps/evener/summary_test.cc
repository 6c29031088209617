#include "evener/summary.h"

#include <gtest/gtest.h>

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

TEST(Summary, AveragesWithinAGroupAndPricesEveryInstance) {
  const auto summary = summarize(finished_job(), small_catalog(), "us-east-1", from_millis(20'000));
  ASSERT_EQ(summary.groups.size(), 2u);
  EXPECT_DOUBLE_EQ(summary.groups[0].cpu_percent_mean, 75);
  EXPECT_DOUBLE_EQ(summary.groups[0].cpu_percent_max, 200);
  EXPECT_EQ(summary.groups[0].billable_seconds, 10);
  EXPECT_NEAR(*summary.groups[0].usd, 2 * 10 * 3.6 / 3600, 1e-9);
}

TEST(Summary, DoesNotMakeUpATotalWhereAPriceIsMissing) {
  const auto summary = summarize(finished_job(), small_catalog(), "us-east-1", from_millis(20'000));
  EXPECT_FALSE(summary.groups[1].usd);
  EXPECT_FALSE(summary.usd);
  const auto parsed = nlohmann::json::parse(summary_json(summary));
  EXPECT_TRUE(parsed["usd"].is_null());
  EXPECT_TRUE(parsed["artifacts"]["model"].is_null());
}

TEST(SummaryJson, HasTheMembersThatProgramsReadByName) {
  const auto parsed = nlohmann::json::parse(
      summary_json(summarize(finished_job(), small_catalog(), "us-east-1", from_millis(20'000))));
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
