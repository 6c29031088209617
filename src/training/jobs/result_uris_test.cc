#include <gtest/gtest.h>

#include "training/jobs/spec.h"

namespace evener::jobs {
namespace {

TEST(ResultUris, LieBelowTheJobsNameAndSayWhetherTheyArePacked) {
  JobSpec spec{.name = "demo", .output_uri = "s3://bucket/out/"};
  EXPECT_EQ(result_uri(spec, "debug-output"), "s3://bucket/out/demo/debug-output");
  EXPECT_EQ(model_uri(spec), "s3://bucket/out/demo/output/model.tar.gz");
  EXPECT_EQ(output_data_uri(spec), "s3://bucket/out/demo/output/output.tar.gz");
  spec.compress_output = false;
  EXPECT_EQ(model_uri(spec), "s3://bucket/out/demo/output/model");
  EXPECT_EQ(output_data_uri(spec), "s3://bucket/out/demo/output/data");
}

}  // namespace
}  // namespace evener::jobs
