#include "training/artifacts/relative_path.h"

#include <gtest/gtest.h>

namespace evener::artifacts {
namespace {

TEST(RelativePath, KeysKeepTheirBytesAndLoseDoubledSlashes) {
  EXPECT_EQ(safe_relative_path("a/b.txt").value(), "a/b.txt");
  EXPECT_EQ(safe_relative_path("a//b").value(), "a/b");
  EXPECT_EQ(safe_relative_path("new\nline/\xff").value(), "new\nline/\xff");
  EXPECT_EQ(safe_relative_path("..a/b..").value(), "..a/b..");
}

TEST(RelativePath, PathsThatCouldLeaveTheirFolderAreRefusedAndQuoted) {
  for (const std::string bad : {"/etc/passwd", "../x", "a/../../x", "a/..", ".", "a/./b", "", "//"}) {
    const auto result = safe_relative_path(bad);
    ASSERT_FALSE(result.has_value()) << bad;
    EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(result.error().message.find("\"" + bad + "\""), std::string::npos);
  }
  EXPECT_FALSE(safe_relative_path(std::string_view("a\0b", 3)).has_value());
}

TEST(RelativePath, MembersOfArchivesMayStartWithADot) {
  EXPECT_EQ(safe_member_path("./a/./b").value(), "a/b");
  EXPECT_EQ(safe_member_path("./").value(), "");
  EXPECT_FALSE(safe_member_path("./../a").has_value());
}

TEST(RelativePath, LinksAreFollowedStepByStepLikeTheKernelDoes) {
  const LinkMap links{{"latest", "runs/3"},       {"up", ".."},           {"runs/up", ".."},
                      {"absolute", "/etc"},       {"self", "."},          {"sly", "self/self/../x"},
                      {"loop", "loop"},           {"runs/far", "../../x"}, {"dangling", "nowhere/x"},
                      {"through", "runs/up/runs"}};
  EXPECT_EQ(follow_link(links, "latest"), LinkReach::kInside);
  EXPECT_EQ(follow_link(links, "runs/up"), LinkReach::kInside);
  EXPECT_EQ(follow_link(links, "dangling"), LinkReach::kInside);
  EXPECT_EQ(follow_link(links, "through"), LinkReach::kInside);
  EXPECT_EQ(follow_link(links, "up"), LinkReach::kOutside);
  EXPECT_EQ(follow_link(links, "absolute"), LinkReach::kOutside);
  EXPECT_EQ(follow_link(links, "runs/far"), LinkReach::kOutside);
  // As text it stays inside; "self" is the root itself, so one `..` is already outside.
  EXPECT_EQ(follow_link(links, "sly"), LinkReach::kOutside);
  EXPECT_EQ(follow_link(links, "loop"), LinkReach::kEndless);
}

TEST(RelativePath, AbsoluteLinksBelowTheRootBecomeRelative) {
  EXPECT_EQ(relative_target("latest", "/opt/ml/model/runs/3", "/opt/ml/model"), "runs/3");
  EXPECT_EQ(relative_target("a/b/link", "/opt/ml/model/x", "/opt/ml/model/"), "../../x");
  EXPECT_EQ(relative_target("self", "/opt/ml/model", "/opt/ml/model"), ".");
  EXPECT_EQ(relative_target("a/up", "/opt/ml/model/", "/opt/ml/model"), "..");
  EXPECT_EQ(relative_target("other", "/opt/ml/models/x", "/opt/ml/model"), "/opt/ml/models/x");
  EXPECT_EQ(relative_target("none", "/x", ""), "/x");
  EXPECT_EQ(relative_target("rel", "../x", "/opt/ml/model"), "../x");
}

}  // namespace
}  // namespace evener::artifacts
