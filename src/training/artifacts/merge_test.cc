#include "training/artifacts/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evener::artifacts {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TreeEntry file(std::string path, std::uint64_t size = 1) {
  TreeEntry entry;
  entry.path = std::move(path);
  entry.stat.size = size;
  return entry;
}

TreeEntry link(std::string path, std::string target) {
  TreeEntry entry = file(std::move(path));
  entry.stat.kind = os::FileKind::kSymlink;
  entry.link_target = std::move(target);
  return entry;
}

HostTree tree(std::string host, std::vector<TreeEntry> entries) {
  return {.host = std::move(host), .folder = {}, .entries = std::move(entries), .left_out = {}};
}

Result<bool> always_same(const std::string&, std::size_t, std::size_t) { return true; }
Result<bool> never_same(const std::string&, std::size_t, std::size_t) { return false; }

std::vector<std::string> paths(const MergePlan& plan) {
  std::vector<std::string> found;
  for (const MergedMember& member : plan.members)
    found.push_back(member.path + (member.kind == MemberKind::kFolder ? "/" : ""));
  return found;
}

TEST(Merge, FilesOfAllHostsComeTogetherSortedWithTheirFolders) {
  const auto plan = merge_trees(
      {tree("algo-1", {file("a/b/c"), file("z")}), tree("algo-2", {file("a-b"), file("a/d")})},
      never_same);
  EXPECT_THAT(paths(*plan), ElementsAre("a/", "a-b", "a/b/", "a/b/c", "a/d", "z"));
  EXPECT_THAT(plan->clashes, IsEmpty());
}

TEST(Merge, EqualContentIsKeptOnceAndIsNoClash) {
  const auto plan =
      merge_trees({tree("algo-1", {file("m")}), tree("algo-2", {file("m")})}, always_same);
  EXPECT_THAT(paths(*plan), ElementsAre("m"));
  EXPECT_EQ(plan->members[0].tree, 0u);
  EXPECT_THAT(plan->clashes, IsEmpty());
}

TEST(Merge, DifferentContentIsAClashThatTheFirstHostWins) {
  const auto plan = merge_trees({tree("algo-1", {file("m", 5)}), tree("algo-2", {file("m", 6)}),
                                 tree("algo-10", {file("m", 5)})},
                                never_same);
  ASSERT_EQ(plan->clashes.size(), 1u);
  EXPECT_EQ(plan->clashes[0].path, "m");
  EXPECT_EQ(plan->clashes[0].kept, "algo-1");
  EXPECT_THAT(plan->clashes[0].dropped, ElementsAre("algo-2", "algo-10"));
}

TEST(Merge, AFileAndAFolderOfOneNameClashOnce) {
  const auto file_first = merge_trees(
      {tree("algo-1", {file("a")}), tree("algo-2", {file("a/x"), file("a/y")})}, never_same);
  EXPECT_THAT(paths(*file_first), ElementsAre("a"));
  ASSERT_EQ(file_first->clashes.size(), 1u);
  EXPECT_EQ(file_first->clashes[0].path, "a");
  EXPECT_THAT(file_first->clashes[0].dropped, ElementsAre("algo-2"));

  const auto folder_first = merge_trees({tree("algo-1", {file("a/x")}), tree("algo-2", {file("a")}),
                                         tree("algo-3", {file("a/z")})},
                                        never_same);
  EXPECT_THAT(paths(*folder_first), ElementsAre("a/", "a/x", "a/z"));
  ASSERT_EQ(folder_first->clashes.size(), 1u);
  EXPECT_EQ(folder_first->clashes[0].kept, "algo-1");
}

TEST(Merge, LinksStayUnlessTheyLeaveTheFolder) {
  const auto plan = merge_trees(
      {tree("algo-1", {file("d/f"), link("in", "d/f"), link("out", "/etc/passwd"),
                       link("round", "round"), link("up", "../x")})},
      never_same);
  EXPECT_THAT(paths(*plan), ElementsAre("d/", "d/f", "in"));
  EXPECT_THAT(plan->left_out, ElementsAre(HasSubstr("algo-1: out: symlink to /etc/passwd"),
                                          HasSubstr("algo-1: up: "), HasSubstr("algo-1: round: ")));
}

TEST(Merge, ALinkThatLeavesOnlyThroughAnotherHostsLinkIsLeftOutToo) {
  const auto plan = merge_trees(
      {tree("algo-1", {link("self", ".")}), tree("algo-2", {link("sly", "self/self/../x")})},
      never_same);
  EXPECT_THAT(paths(*plan), ElementsAre("self"));
  EXPECT_THAT(plan->left_out, ElementsAre(HasSubstr("algo-2: sly")));
}

TEST(Merge, ALeftOutLinkDoesNotPushOutAnotherHostsFile) {
  const auto plan = merge_trees(
      {tree("algo-1", {link("m", "/elsewhere")}), tree("algo-2", {file("m")})}, never_same);
  EXPECT_THAT(paths(*plan), ElementsAre("m"));
  EXPECT_THAT(plan->clashes, IsEmpty());
}

TEST(Merge, HostsAreOrderedByNumber) {
  EXPECT_TRUE(natural_before("algo-2", "algo-10"));
  EXPECT_FALSE(natural_before("algo-10", "algo-2"));
  EXPECT_TRUE(natural_before("algo-9", "algo-010"));
  EXPECT_FALSE(natural_before("a", "a"));
}

}  // namespace
}  // namespace evener::artifacts
