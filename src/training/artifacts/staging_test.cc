#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include "os/file_system_faulty.h"
#include "training/artifacts/gzip_chunks.h"
#include "training/artifacts/test_tree_test.h"

namespace evener::artifacts {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using jobs::Compression;
using jobs::Distribution;

using Contents = std::map<std::string, std::string>;

class Staging : public testing::Test {
 protected:
  Staging() {
    spec.groups.resize(1);
    spec.groups[0].count = 2;
    options.instances = tree.at("instances");
    channel.name = "raw";
    channel.uri = tree.at("in").string();
  }

  Result<StagedChannels> stage(os::FileSystem& files, std::stop_token stop = {}) {
    const auto listing = list_channel(tree.stores, channel);
    if (!listing) return tl::unexpected(listing.error());
    return stage_channels({*listing}, {{.host = "algo-1", .group = 0}, {.host = "algo-2", .group = 0}},
                          spec, options, tree.stores, files, {}, stop);
  }
  Result<StagedChannels> stage() { return stage(*tree.files); }

  // What a host would see below its channel's folder.
  Contents seen(const ChannelMount& mount) {
    const std::string upper = mount.upper.lexically_relative(tree.root()).string();
    if (mount.lower.empty()) return tree.contents(upper);
    const std::string merged = "merged-" + mount.host;
    std::filesystem::create_directories(tree.at(merged));
    const std::string options_text = "lowerdir=" + mount.lower.string() + ",upperdir=" +
                                     mount.upper.string() + ",workdir=" + mount.work.string();
    if (::mount("overlay", tree.at(merged).c_str(), "overlay", 0, options_text.c_str()) != 0)
      return {{"no overlay", ""}};
    Contents found = tree.contents(merged);
    ::umount(tree.at(merged).c_str());
    return found;
  }

  TestTree tree;
  jobs::JobSpec spec;
  jobs::Channel channel;
  StagingOptions options;
};

TEST_F(Staging, CopiesGoToEveryHostAndReachNobodyElsesFile) {
  tree.write("in/d/a", "aa");
  tree.write("in/b", "b");
  const auto staged = stage();
  ASSERT_TRUE(staged.has_value()) << staged.error().message;
  ASSERT_EQ(staged->mounts.size(), 2u);
  for (const ChannelMount& mount : staged->mounts) {
    EXPECT_EQ(mount.channel, "raw");
    EXPECT_TRUE(mount.lower.empty());
    EXPECT_EQ(seen(mount), (Contents{{"b", "file b"}, {"d", "folder"}, {"d/a", "file aa"}}));
    EXPECT_EQ(tree.files->stat(mount.upper / "b")->links, 1u);
  }
  ASSERT_EQ(staged->reports.size(), 1u);
  EXPECT_EQ(staged->reports[0].objects, 2u);
  EXPECT_EQ(staged->reports[0].bytes, 3u);
  EXPECT_EQ(staged->reports[0].bytes_copied, 6u);
  std::ofstream(staged->mounts[0].upper / "b") << "changed";
  EXPECT_EQ(tree.read("in/b"), "b");
  EXPECT_EQ(TestTree::read_file(staged->mounts[1].upper / "b"), "b");
}

TEST_F(Staging, AFolderIsShownUnderAnOverlayWithoutCopying) {
  tree.write("in/d/a", "aa");
  options.overlay_possible = true;
  const auto staged = stage();
  ASSERT_TRUE(staged.has_value());
  EXPECT_EQ(staged->reports[0].bytes_copied, 0u);
  for (const ChannelMount& mount : staged->mounts) {
    EXPECT_EQ(mount.lower, tree.at("in"));
    EXPECT_TRUE(std::filesystem::is_directory(mount.upper));
    EXPECT_TRUE(std::filesystem::is_directory(mount.work));
    EXPECT_TRUE(std::filesystem::is_empty(mount.upper));
  }
}

TEST_F(Staging, AShardUnderAnOverlayShowsOnlyItsObjects) {
  for (const char* path : {"in/a/1", "in/a/2", "in/b/1", "in/c/d/1", "in/top"}) tree.write(path, path);
  channel.distribution = Distribution::kShardedByS3Key;
  const auto copied = stage();
  ASSERT_TRUE(copied.has_value());
  std::filesystem::remove_all(tree.at("instances"));
  options.overlay_possible = true;
  const auto shown = stage();
  ASSERT_TRUE(shown.has_value()) << shown.error().message;
  if (shown->mounts[0].lower.empty()) GTEST_SKIP() << "this machine refuses whiteouts";
  EXPECT_EQ(shown->reports[0].bytes_copied, 0u);
  if (seen(shown->mounts[0]).contains("no overlay")) GTEST_SKIP() << "overlays cannot be mounted here";
  EXPECT_EQ(seen(shown->mounts[0]), (Contents{{"a", "folder"}, {"a/1", "file in/a/1"},
                                              {"b", "folder"}, {"b/1", "file in/b/1"},
                                              {"top", "file in/top"}}));
  EXPECT_EQ(seen(shown->mounts[1]),
            (Contents{{"a", "folder"}, {"a/2", "file in/a/2"}, {"c", "folder"}, {"c/d", "folder"},
                      {"c/d/1", "file in/c/d/1"}}));
}

TEST_F(Staging, ShardsAreReportedAndAnEmptyHostIsNoticed) {
  tree.write("in/only", "12345");
  channel.distribution = Distribution::kShardedByS3Key;
  const auto staged = stage();
  ASSERT_TRUE(staged.has_value());
  EXPECT_THAT(staged->reports[0].hosts,
              ElementsAre(jobs::HostShard{.host = "algo-1", .objects = 1, .bytes = 5},
                          jobs::HostShard{.host = "algo-2", .objects = 0, .bytes = 0}));
  EXPECT_THAT(staged->notices, ElementsAre("host algo-2 receives no object of channel raw"));
  EXPECT_EQ(seen(staged->mounts[1]), Contents{});
}

TEST_F(Staging, LinksInTheUsersFolderAreCopiedAsWhatTheyPointTo) {
  tree.write("elsewhere/secret", "s");
  tree.link("in/l", "../elsewhere/secret");
  options.overlay_possible = true;
  const auto staged = stage();
  ASSERT_TRUE(staged.has_value());
  EXPECT_EQ(seen(staged->mounts[0]), (Contents{{"l", "file s"}}));
}

TEST_F(Staging, GzipChannelsAreUnpackedForEveryHost) {
  ChunkCompressor compressor;
  std::vector<std::byte> gzip;
  const std::string text(100'000, 'x');
  ASSERT_TRUE(compressor.compress(std::as_bytes(std::span(text)), Effort::kFast, gzip).has_value());
  tree.write("in/d/a.csv.gz", {reinterpret_cast<const char*>(gzip.data()), gzip.size()});
  channel.compression = Compression::kGzip;
  options.overlay_possible = true;
  const auto staged = stage();
  ASSERT_TRUE(staged.has_value()) << staged.error().message;
  for (const ChannelMount& mount : staged->mounts)
    EXPECT_EQ(seen(mount), (Contents{{"d", "folder"}, {"d/a.csv", "file " + text}}));
}

TEST_F(Staging, DamagedGzipNamesTheObject) {
  tree.write("in/a.gz", "not gzip");
  channel.compression = Compression::kGzip;
  const auto staged = stage();
  ASSERT_FALSE(staged.has_value());
  EXPECT_EQ(staged.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(staged.error().message, AllOf(HasSubstr("channel raw"), HasSubstr("in/a.gz")));
}

TEST_F(Staging, NamesOfAnyBytesArriveUnchanged) {
  const std::string name = "new\nline \xff\xfe 'quoted' \xc3\xa4";
  tree.write("in/" + name, "1");
  EXPECT_EQ(seen(stage()->mounts[0]), (Contents{{name, "file 1"}}));
}

TEST_F(Staging, LargeFilesKeepTheirHolesAndModes) {
  tree.write("in/big", std::string(1'000'000, 'x'));
  std::filesystem::resize_file(tree.at("in/big"), 90 << 20);
  std::ofstream(tree.at("in/big"), std::ios::app) << "middle";
  std::filesystem::resize_file(tree.at("in/big"), 100 << 20);
  std::filesystem::permissions(tree.at("in/big"), std::filesystem::perms::owner_all);
  const auto staged = stage();
  ASSERT_TRUE(staged.has_value());
  const auto copy = staged->mounts[0].upper / "big";
  EXPECT_EQ(tree.shell("cmp in/big " + copy.string()), 0);
  EXPECT_LT(tree.files->stat(copy)->allocated, 4u << 20);
  EXPECT_EQ(tree.files->stat(copy)->mode, 0700u);
}

TEST_F(Staging, AnUnreadableFileIsNamedWithAndWithoutOverlay) {
  if (::geteuid() == 0) GTEST_SKIP() << "root can read every file";
  tree.write("in/locked", "1");
  std::filesystem::permissions(tree.at("in/locked"), std::filesystem::perms::none);
  for (const bool overlay : {false, true}) {
    options.overlay_possible = overlay;
    const auto staged = stage();
    ASSERT_FALSE(staged.has_value());
    EXPECT_EQ(staged.error().code, ErrorCode::kPermissionDenied);
    EXPECT_THAT(staged.error().message, HasSubstr("in/locked"));
  }
}

TEST_F(Staging, AFullDiskNamesTheChannel) {
  tree.write("in/a", "1");
  os::FaultyFileSystem full(
      *tree.files, {.fail_at = 5, .fail_once = false, .error = {ErrorCode::kNoSpace, "full"}});
  const auto staged = stage(full);
  ASSERT_FALSE(staged.has_value());
  EXPECT_EQ(staged.error().code, ErrorCode::kNoSpace);
  EXPECT_THAT(staged.error().message, HasSubstr("channel raw"));
}

TEST_F(Staging, WhicheverCallFailsTheErrorIsPassedOn) {
  tree.write("in/d/a", "1");
  tree.write("in/b", "2");
  tree.write("in/big", "");
  std::filesystem::resize_file(tree.at("in/big"), 70 << 20);
  for (const bool overlay : {false, true}) {
    options.overlay_possible = overlay;
    channel.distribution = overlay ? Distribution::kShardedByS3Key : Distribution::kFullyReplicated;
    for (std::uint64_t call = 1;; ++call) {
      std::filesystem::remove_all(tree.at("instances"));
      os::FaultyFileSystem faulty(*tree.files, {.fail_at = call, .fail_once = true});
      const auto staged = stage(faulty);
      if (faulty.calls() < call) {
        EXPECT_TRUE(staged.has_value());
        EXPECT_GT(call, 3u);
        break;
      }
      ASSERT_FALSE(staged.has_value()) << "call " << call << " failed unseen";
      EXPECT_THAT(staged.error().message, AllOf(HasSubstr("channel raw"), HasSubstr("injected")));
    }
  }
  EXPECT_EQ(tree.read("in/d/a"), "1");
}

TEST_F(Staging, AStopRequestIsHeeded) {
  tree.write("in/a", "1");
  std::stop_source source;
  source.request_stop();
  EXPECT_EQ(stage(*tree.files, source.get_token()).error().code, ErrorCode::kCancelled);
}

TEST_F(Staging, ManyFilesAreCopiedByManyThreads) {
  for (int i = 0; i < 100; ++i) tree.write("in/" + std::to_string(i % 7) + "/" + std::to_string(i), "x");
  options.threads = 4;
  const auto staged = stage();
  ASSERT_TRUE(staged.has_value());
  EXPECT_EQ(seen(staged->mounts[0]), tree.contents("in"));
  EXPECT_EQ(seen(staged->mounts[1]), tree.contents("in"));
}

}  // namespace
}  // namespace evener::artifacts
