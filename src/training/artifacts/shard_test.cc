#include "training/artifacts/shard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/ids.h"

namespace evener::artifacts {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ChannelListing listing_of(const std::vector<std::string>& keys, jobs::Distribution distribution) {
  ChannelListing listing;
  listing.channel.name = "raw";
  listing.channel.distribution = distribution;
  for (const std::string& key : keys)
    listing.objects.push_back({.key = key, .uri = "file:///" + key, .size = 1});
  return listing;
}

TEST(Shard, EveryObjectGoesToExactlyOneHostAndSharesDifferByAtMostOne) {
  SeededRandom random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::string> keys(random.below(50));
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = std::to_string(1000 + i);
    const std::size_t hosts = 1 + random.below(9);
    const auto listing = listing_of(keys, jobs::Distribution::kShardedByS3Key);
    const auto shares = shard(listing, hosts);
    ASSERT_EQ(shares.size(), hosts);
    EXPECT_EQ(shares, shard(listing, hosts)) << "not deterministic";
    std::multiset<std::size_t> seen;
    for (const auto& share : shares) {
      seen.insert(share.begin(), share.end());
      EXPECT_LE(share.size(), keys.size() / hosts + 1);
      EXPECT_GE(share.size(), keys.size() / hosts);
    }
    ASSERT_EQ(seen.size(), keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(seen.count(i), 1u);
  }
}

TEST(Shard, FullReplicationGivesEverythingToEveryHost) {
  const auto listing = listing_of({"a", "b"}, jobs::Distribution::kFullyReplicated);
  EXPECT_THAT(shard(listing, 2), ElementsAre(ElementsAre(0u, 1u), ElementsAre(0u, 1u)));
}

TEST(Shard, OnlyHostsOfTheChannelsGroupsCount) {
  auto listing = listing_of({"a", "b", "c"}, jobs::Distribution::kShardedByS3Key);
  listing.channel.groups = {"data"};
  jobs::JobSpec spec;
  spec.groups = {{.name = "train", .instance_type = "", .count = 1, .shape = {}},
                 {.name = "data", .instance_type = "", .count = 2, .shape = {}}};
  const std::vector<ChannelListing> listings{listing};
  const auto shares = share_channels(
      listings, {{.host = "algo-1", .group = 0}, {.host = "algo-2", .group = 1}, {.host = "algo-3", .group = 1}},
      spec);
  ASSERT_EQ(shares.size(), 1u);
  EXPECT_THAT(shares[0].hosts, ElementsAre("algo-2", "algo-3"));
  EXPECT_THAT(shares[0].objects, ElementsAre(ElementsAre(0u, 2u), ElementsAre(1u)));
  EXPECT_TRUE(shares[0].sharded());
}

TEST(Shard, AKeyThatIsAlsoAFolderIsRefusedByName) {
  const auto paths = staged_paths(listing_of({"a", "a/b"}, jobs::Distribution::kFullyReplicated));
  ASSERT_FALSE(paths.has_value());
  EXPECT_THAT(paths.error().message, HasSubstr("\"a\" is both an object and the folder of \"a/b\""));
}

TEST(Shard, UnpackedNamesLoseTheirSuffixAndMayNotCollide) {
  auto listing = listing_of({"a.csv.gz", "b.csv", "d/.gz"}, jobs::Distribution::kFullyReplicated);
  listing.channel.compression = jobs::Compression::kGzip;
  EXPECT_THAT(staged_paths(listing).value(), ElementsAre("a.csv", "b.csv", "d/.gz"));
  listing.objects.push_back({.key = "a.csv", .uri = "file:///a.csv", .size = 1});
  EXPECT_THAT(staged_paths(listing).error().message, HasSubstr("\"a.csv.gz\" and \"a.csv\""));
}

TEST(Shard, KeysThatLeaveTheFolderAreRefused) {
  EXPECT_FALSE(
      staged_paths(listing_of({"../x"}, jobs::Distribution::kFullyReplicated)).has_value());
}

TEST(Shard, WholeFoldersAreHiddenWhereNothingIsShown) {
  const std::vector<std::string> paths{"a/1", "a/2", "b/c/1", "b/c/2", "b/d", "top"};
  EXPECT_THAT(hidden_paths(paths, {0}), ElementsAre("a/2", "b", "top"));
  EXPECT_THAT(hidden_paths(paths, {4}), ElementsAre("a", "b/c", "top"));
  EXPECT_THAT(hidden_paths(paths, {0, 1, 2, 3, 4, 5}), IsEmpty());
  EXPECT_THAT(hidden_paths(paths, {}), ElementsAre("a", "b", "top"));
}

TEST(Shard, HidingLeavesExactlyTheShownFiles) {
  SeededRandom random(11);
  for (int round = 0; round < 200; ++round) {
    std::set<std::string> names;
    for (std::size_t i = 0; i < 20; ++i)
      names.insert("d" + std::to_string(random.below(3)) + "/e" + std::to_string(random.below(3)) +
                   "/f" + std::to_string(random.below(5)));
    const std::vector<std::string> paths(names.begin(), names.end());
    std::vector<std::size_t> shown;
    for (std::size_t i = 0; i < paths.size(); ++i)
      if (random.below(3) == 0) shown.push_back(i);
    const auto hidden = hidden_paths(paths, shown);
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < paths.size(); ++i) {
      const bool gone = std::ranges::any_of(hidden, [&](const std::string& path) {
        return paths[i] == path || paths[i].starts_with(path + "/");
      });
      if (!gone) left.push_back(i);
    }
    EXPECT_EQ(left, shown) << "round " << round;
  }
}

}  // namespace
}  // namespace evener::artifacts
