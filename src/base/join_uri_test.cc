#include "base/join_uri.h"

#include <gtest/gtest.h>

namespace evener {
namespace {

TEST(JoinUri, PutsExactlyOneSlash) {
  EXPECT_EQ(join_uri("s3://b/out", "job/model"), "s3://b/out/job/model");
  EXPECT_EQ(join_uri("s3://b/out/", "/job"), "s3://b/out/job");
  EXPECT_EQ(join_uri("s3://b", "job"), "s3://b/job");
  EXPECT_EQ(join_uri("/", "job"), "/job");
  EXPECT_EQ(join_uri("file:///", "job"), "file:///job");
  EXPECT_EQ(join_uri("/out", ""), "/out/");
}

}  // namespace
}  // namespace evener
