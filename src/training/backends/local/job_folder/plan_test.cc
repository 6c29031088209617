#include "training/backends/local/job_folder/plan.h"

#include <gtest/gtest.h>

#include "training/jobs/job_sample_test.h"

namespace evener::backends {
namespace {

Plan sample_plan() {
  Plan plan;
  plan.job = jobs::launched(jobs::sample_spec("demo", {{"data_group", 2}, {"dnn_group", 1}}),
                      from_millis(1'700'000'000'000));
  plan.engine_kind = EngineKind::kServer;
  plan.isolation = sandbox::Isolation::kPlain;
  plan.masked_paths = {"/root/.aws"};
  plan.host_services = {{.port = 8080, .target_host = "127.0.0.1", .target_port = 9090}};
  plan.host_environment = {{"PATH", "/usr/bin"}, {"NAME", "\xC3\xA4 b"}};
  return plan;
}

TEST(Plan, IsReadAsWritten) {
  const Plan plan = sample_plan();
  const auto read = plan_from_text(plan_text(plan));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(jobs::to_json(read->job), jobs::to_json(plan.job));
  EXPECT_EQ(read->engine_kind, plan.engine_kind);
  EXPECT_EQ(read->isolation, plan.isolation);
  EXPECT_EQ(read->masked_paths, plan.masked_paths);
  ASSERT_EQ(read->host_services.size(), 1u);
  EXPECT_EQ(read->host_services[0].target_port, 9090);
  EXPECT_EQ(read->host_environment, plan.host_environment);
}

TEST(Plan, IsReadableByItsOwnerOnly) {
  FakeClock clock(from_millis(0));
  const auto files = os::make_memory_file_system(clock);
  ASSERT_TRUE(write_plan(*files, "/plan.json", sample_plan()));
  EXPECT_EQ(files->stat("/plan.json")->mode, 0600u);
  EXPECT_TRUE(read_plan(*files, "/plan.json"));
}

TEST(Plan, TextOfSomethingElseIsCorrupt) {
  for (const std::string_view text : {"", "[]", "{}", R"({"version":1})", R"({"version":"x"})"}) {
    const auto plan = plan_from_text(text);
    ASSERT_FALSE(plan) << text;
    EXPECT_EQ(plan.error().code, ErrorCode::kCorrupt) << text;
  }
  EXPECT_EQ(plan_from_text(R"({"version":99})").error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace evener::backends
