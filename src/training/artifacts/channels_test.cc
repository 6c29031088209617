#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "training/artifacts/manifest.h"
#include "training/artifacts/test_tree_test.h"

namespace evener::artifacts {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class Channels : public testing::Test {
 protected:
  Result<ChannelListing> list(const std::string& path,
                              jobs::DataType type = jobs::DataType::kS3Prefix) {
    jobs::Channel channel;
    channel.name = "raw";
    channel.uri = tree.at(path).string();
    channel.data_type = type;
    return list_channel(tree.stores, channel);
  }
  static std::vector<std::string> keys(const ChannelListing& listing) {
    std::vector<std::string> found;
    for (const auto& object : listing.objects) found.push_back(object.key);
    return found;
  }
  TestTree tree;
};

TEST_F(Channels, AFolderIsListedWholeAndCanBeShown) {
  tree.write("in/b/2", "22");
  tree.write("in/a", "1");
  const auto listing = list("in");
  ASSERT_TRUE(listing.has_value());
  EXPECT_THAT(keys(*listing), ElementsAre("a", "b/2"));
  EXPECT_EQ(listing->objects[1].size, 2u);
  EXPECT_EQ(listing->folder, tree.at("in"));
}

TEST_F(Channels, AKeyPrefixAndASingleObjectAreNoFolder) {
  tree.write("train-01/x", "1");
  tree.write("train-02", "2");
  tree.write("test", "3");
  EXPECT_THAT(keys(*list("train")), ElementsAre("train-01/x", "train-02"));
  EXPECT_THAT(keys(*list("test")), ElementsAre("test"));
  EXPECT_FALSE(list("train")->folder.has_value());
}

TEST_F(Channels, NothingUnderThePrefixIsNotFoundAndSaysSo) {
  std::filesystem::create_directories(tree.at("empty"));
  for (const char* path : {"empty", "absent"}) {
    const auto listing = list(path);
    ASSERT_FALSE(listing.has_value());
    EXPECT_EQ(listing.error().code, ErrorCode::kNotFound);
    EXPECT_THAT(listing.error().message,
                AllOf(HasSubstr("channel raw"), HasSubstr("No objects found under"), HasSubstr(path)));
  }
}

TEST_F(Channels, AManifestNamesItsObjects) {
  tree.write("d/x/1", "one");
  tree.write("d/2", "2");
  tree.write("m.json", R"([{"prefix":")" + tree.at("d").string() + R"(/"},"x/1","2","2"])");
  const auto listing = list("m.json", jobs::DataType::kManifestFile);
  ASSERT_TRUE(listing.has_value()) << listing.error().message;
  EXPECT_THAT(keys(*listing), ElementsAre("2", "x/1"));
  EXPECT_EQ(listing->objects[1].size, 3u);
}

TEST_F(Channels, MissingObjectsOfAManifestAreNamed) {
  tree.write("d/1", "1");
  tree.write("m.json", R"([{"prefix":")" + tree.at("d").string() + R"(/"},"1","gone","lost"])");
  const auto listing = list("m.json", jobs::DataType::kManifestFile);
  ASSERT_FALSE(listing.has_value());
  EXPECT_EQ(listing.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(listing.error().message, AllOf(HasSubstr("2 of the objects"), HasSubstr("d/gone, "), HasSubstr("d/lost")));
}

TEST_F(Channels, ManifestsThatLeaveTheirFolderOrAreNoneAreRefused) {
  tree.write("secret", "s");
  tree.write("m.json", R"([{"prefix":")" + tree.at("d").string() + R"(/"},"../secret"])");
  EXPECT_EQ(list("m.json", jobs::DataType::kManifestFile).error().code, ErrorCode::kInvalidArgument);
  for (const char* text : {"", "{", "{}", "[]", "[1]", R"([{"prefix":1}])", R"([{"prefix":"p"},2])"})
    EXPECT_EQ(parse_manifest(text).error().code, ErrorCode::kCorrupt) << text;
  EXPECT_THAT(parse_manifest("[{\"prefix\": oops").error().message, HasSubstr("byte 13"));
}

TEST_F(Channels, TheManifestOfAChannelNamesThePrefixAndEveryObjectOnALine) {
  tree.write("in/a", "1");
  tree.write("in/b\nc", "2");
  const auto listing = list("in");
  const std::string uri = "file://" + tree.at("in").string();
  EXPECT_EQ(manifest_text(*listing),
            tree.at("in").string() + "\n" + uri + "/a\n" + uri + "/b%0Ac\n");
  ChannelListing remote;
  remote.channel.uri = "s3://bucket/some/prefix";
  remote.objects.push_back({.key = "a", .uri = "s3://bucket/some/prefix/a", .size = 1});
  EXPECT_EQ(manifest_text(remote), "some/prefix\ns3://bucket/some/prefix/a\n");
}

}  // namespace
}  // namespace evener::artifacts
