#include "storage/storage.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/file_systems_test.h"

namespace evener::storage {
namespace {

using os::FileSystemKind;

TEST(Uri, PlainPathsAndFileUrisAreTheSame) {
  for (const char* text : {"/a/b", "file:///a/b", "//a//b", "/a/./b", "/x/../a/b", "/../a/b"})
    EXPECT_EQ(parse_uri(text).value(), (Uri{"file", "", "a/b"})) << text;
  EXPECT_EQ(parse_uri("/a/b/").value().key, "a/b/") << "a last slash says folder";
  EXPECT_EQ(parse_uri("/a/b/.").value().key, "a/b/");
  EXPECT_EQ(parse_uri("/a/b/..").value().key, "a/");
  EXPECT_EQ(parse_uri("/").value().key, "");
}

TEST(Uri, BucketAndKeyAreTakenAsTheyStand) {
  EXPECT_EQ(parse_uri("s3://bucket/a//b%20c?d#e").value(), (Uri{"s3", "bucket", "a//b%20c?d#e"}));
  EXPECT_EQ(parse_uri("s3://bucket").value(), (Uri{"s3", "bucket", ""}));
  EXPECT_EQ(parse_uri("/a%2Fb ?#c").value().key, "a%2Fb ?#c");
  EXPECT_EQ(parse_uri("/dir/s3://x").value().key, "dir/s3:/x");
}

TEST(Uri, WhatIsNoUriIsRefused) {
  for (const std::string& text :
       {std::string(), std::string("relative/path"), std::string("s3:///key"),
        std::string("s3://bucket/a/../b"), std::string("file://host/a"), std::string("://x"),
        std::string("S 3://b/k"), std::string("/a\0b", 4)}) {
    const auto parsed = parse_uri(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(Uri, TextAndBackIsTheSame) {
  for (const Uri& uri : {Uri{"file", "", "a/b"}, Uri{"file", "", ""}, Uri{"s3", "b", "k/\n\xff"}})
    EXPECT_EQ(parse_uri(to_string(uri)).value(), uri);
}

TEST(StoreSet, UnknownSchemeNamesThoseThatThereAre) {
  auto files = os::make_real_file_system();
  StoreSet stores;
  stores.add("file", make_file_store(*files));
  EXPECT_TRUE(stores.find({"file", "", "x"}));
  const auto missing = stores.find({"s3", "b", "k"});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(missing.error().message.find("file://"), std::string::npos);
}

class Stores : public testing::TestWithParam<FileSystemKind> {
 protected:
  os::FileSystem& files() { return under_test_.files(); }
  os::fs::path at(std::string_view name) const { return under_test_.root() / name; }
  Uri uri(std::string_view name) const {
    return parse_uri(at("").string() + std::string(name)).value();
  }
  void put(std::string_view name, std::string_view text) {
    auto file = store_->create(uri(name));
    ASSERT_TRUE(file) << file.error().message;
    ASSERT_TRUE((*file)->append(std::as_bytes(std::span(text.data(), text.size()))));
    ASSERT_TRUE((*file)->close());
  }
  std::vector<std::string> keys(std::string_view prefix) {
    const auto listed = store_->list(uri(prefix));
    EXPECT_TRUE(listed) << listed.error().message;
    std::vector<std::string> found;
    if (!listed) return found;
    for (const StoredObject& object : *listed) found.push_back(object.key);
    return found;
  }
  using Keys = std::vector<std::string>;

 private:
  os::FileSystemUnderTest under_test_{GetParam()};

 protected:
  std::unique_ptr<ObjectStore> store_ = make_file_store(files());
};

INSTANTIATE_TEST_SUITE_P(All, Stores,
                         testing::Values(FileSystemKind::kReal, FileSystemKind::kMemory,
                                         FileSystemKind::kFaultyWithoutFaults),
                         [](const auto& tested) { return os::to_string(tested.param); });

TEST_P(Stores, FolderListsAllBelowItSortedByWholeKey) {
  for (const char* name : {"d/a/1", "d/a-b", "d/a.b", "d/z", "d/a/0/x", "e"}) put(name, name);
  const Keys all{"a-b", "a.b", "a/0/x", "a/1", "z"};
  EXPECT_EQ(keys("d"), all);
  EXPECT_EQ(keys("d/"), all);
  const auto listed = store_->list(uri("d")).value();
  EXPECT_EQ(listed[3].uri, "file://" + at("d/a/1").string());
  EXPECT_EQ(listed[3].size, 5u);
}

TEST_P(Stores, ObjectListsItselfAndPrefixListsWhatStartsWithIt) {
  for (const char* name : {"d/train", "d/train-0", "d/train-1/x", "d/test"}) put(name, "x");
  EXPECT_EQ(keys("d/train"), Keys{"train"});
  EXPECT_EQ(keys("d/trai"), (Keys{"train", "train-0", "train-1/x"}));
  EXPECT_EQ(keys("d/train-"), (Keys{"train-0", "train-1/x"}));
  EXPECT_EQ(keys("d/none"), Keys{});
  EXPECT_EQ(keys("no/folder/here"), Keys{});
  EXPECT_EQ(keys("d/train/"), Keys{}) << "a file is no folder";
  EXPECT_EQ(keys("d/train/x"), Keys{});
}

TEST_P(Stores, NamesOfAnyBytesSurvive) {
  const std::string name = "d/new\nline \xff\xfe %41 ünï";
  put(name, "text");
  ASSERT_EQ(keys("d"), Keys{name.substr(2)});
  const std::string found = store_->list(uri("d")).value()[0].uri;
  auto file = store_->open(parse_uri(found).value());
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ((*file)->stat().value().size, 4u);
}

TEST_P(Stores, SymlinksAreFollowedAndCyclesAreErrorsThatNameThePath) {
  put("real/x", "1");
  put("d/y", "2");
  ASSERT_TRUE(files().make_symlink("../real", at("d/folder")));
  ASSERT_TRUE(files().make_symlink("../real/x", at("d/file")));
  EXPECT_EQ(keys("d"), (Keys{"file", "folder/x", "y"}));
  ASSERT_TRUE(files().make_symlink("..", at("real/up")));
  const auto cycle = store_->list(uri("d"));
  ASSERT_FALSE(cycle);
  EXPECT_EQ(cycle.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(cycle.error().message.find("up"), std::string::npos);
}

TEST_P(Stores, DanglingSymlinkIsAnErrorThatNamesIt) {
  put("d/y", "2");
  ASSERT_TRUE(files().make_symlink("nowhere", at("d/dangling")));
  const auto listed = store_->list(uri("d"));
  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().code, ErrorCode::kInvalidArgument);  // not: "there is nothing"
  EXPECT_NE(listed.error().message.find("dangling is a symlink to nothing"), std::string::npos);
}

TEST_P(Stores, ObjectAppearsWholeAtCloseOrNotAtAll) {
  put("out/object", "old");
  {
    auto file = store_->create(uri("out/object")).value();
    const std::string text = "new and longer";
    ASSERT_TRUE(file->append(std::as_bytes(std::span(text))));
    EXPECT_EQ(os::read_text(files(), at("out/object")).value(), "old");
    EXPECT_EQ(keys("out"), Keys{"object"});
  }
  EXPECT_EQ(os::read_text(files(), at("out/object")).value(), "old");
  EXPECT_EQ(keys("out"), Keys{"object"});
}

TEST_P(Stores, FoldersAreNoObjects) {
  put("d/x", "1");
  EXPECT_EQ(store_->open(uri("d")).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(store_->create(uri("d/")).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(store_->create(uri("d/x/below")).error().code, ErrorCode::kAlreadyExists);
  EXPECT_EQ(store_->open({"s3", "b", "k"}).error().code, ErrorCode::kInvalidArgument);
}

TEST_P(Stores, RemovingIsRepeatable) {
  put("d/x", "1");
  EXPECT_TRUE(store_->remove(uri("d/x")));
  EXPECT_TRUE(store_->remove(uri("d/x")));
  EXPECT_EQ(keys("d"), Keys{});
}

TEST_P(Stores, LocalFolderIsGivenOnlyForTreesOfPlainFiles) {
  put("d/a/x", "1");
  EXPECT_EQ(store_->local_folder(uri("d")), at("d"));
  EXPECT_FALSE(store_->local_folder(uri("d/a/x")));
  EXPECT_FALSE(store_->local_folder(uri("d/pre")));
  ASSERT_TRUE(files().make_symlink("/elsewhere", at("d/a/link")));
  EXPECT_FALSE(store_->local_folder(uri("d")));
}

TEST_P(Stores, ChannelsAreTheFoldersOfThisHostUnderTheirOwnNames) {
  put("input/raw/a/1.jpg", "one");
  put("input/raw/b.jpg", "two");
  put("secret", "no");
  const auto store = make_channel_store(files(), at("input"));
  const auto listed = store->list(parse_uri("channel://raw/").value());
  ASSERT_TRUE(listed) << listed.error().message;
  ASSERT_EQ(listed->size(), 2u);
  EXPECT_EQ(listed->front().key, "a/1.jpg");
  EXPECT_EQ(listed->front().uri, "channel://raw/a/1.jpg");
  const Uri object = parse_uri(listed->front().uri).value();
  ASSERT_TRUE(store->open(object));
  std::string text(3, ' ');
  EXPECT_TRUE(store->read_listed(object, {.size = 3, .version = listed->front().version}, 0,
                                 std::as_writable_bytes(std::span(text))));
  EXPECT_EQ(text, "one");
  EXPECT_EQ(store->list(parse_uri("channel://raw/a").value())->front().uri, "channel://raw/a/1.jpg");
  EXPECT_EQ(store->create(object).error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(store->remove(object).error().code, ErrorCode::kUnsupported);
  for (const Uri& outside : {Uri{"channel", "..", "secret"}, Uri{"channel", "raw", "../../secret"},
                             Uri{"channel", ".", "raw/a/1.jpg"}})
    EXPECT_EQ(store->open(outside).error().code, ErrorCode::kInvalidArgument);
}

TEST_P(Stores, EachFailingCallOfAListingIsReported) {
  for (const char* name : {"d/a/1", "d/b", "d/c/2"}) put(name, "x");
  for (std::uint64_t fail_at = 1;; ++fail_at) {
    os::FaultyFileSystem faulty(files(), {fail_at, true, {ErrorCode::kIo, "broken"}});
    const auto listed = make_file_store(faulty)->list(uri("d"));
    if (faulty.calls() < fail_at) {
      EXPECT_EQ(listed.value().size(), 3u);
      break;
    }
    ASSERT_FALSE(listed) << "call " << fail_at;
    EXPECT_EQ(listed.error().code, ErrorCode::kIo);
  }
}

TEST_P(Stores, EachFailingCallOfAPutLeavesOldOrNew) {
  for (std::uint64_t fail_at = 1;; ++fail_at) {
    put("d/object", "the old text");
    os::FaultyFileSystem faulty(files(), {fail_at, false, {ErrorCode::kNoSpace, "disk full"}});
    const auto stored = [&]() -> Status {
      const std::string text = "the new text";
      auto file = make_file_store(faulty)->create(uri("d/object"));
      if (!file) return tl::unexpected(file.error());
      RETURN_IF_ERROR((*file)->append(std::as_bytes(std::span(text))));
      return (*file)->close();
    }();
    const std::string seen = os::read_text(files(), at("d/object")).value();
    EXPECT_EQ(seen, stored ? "the new text" : "the old text") << "call " << fail_at;
    EXPECT_EQ(keys("d"), Keys{"object"});
    if (faulty.calls() < fail_at) break;
    EXPECT_EQ(stored.error().code, ErrorCode::kNoSpace);
  }
}

TEST(FileStore, FolderWithAMountBelowIsNotShownWithoutCopying) {
  os::FileSystemUnderTest under_test(FileSystemKind::kReal);
  const os::fs::path inner = under_test.root() / "d/inner";
  ASSERT_TRUE(under_test.files().make_directories(inner));
  auto store = make_file_store(under_test.files());
  const Uri folder = parse_uri((under_test.root() / "d").string()).value();
  EXPECT_TRUE(store->local_folder(folder));
  const pid_t child = ::fork();
  if (child == 0) {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("", "/", "", MS_REC | MS_PRIVATE, "") != 0 ||
        ::mount("tmpfs", inner.c_str(), "tmpfs", 0, "size=64k") != 0)
      ::_exit(77);
    ::_exit(store->local_folder(folder) ? 1 : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "this user may not mount";
  EXPECT_EQ(status, 0);
}

TEST(FileStore, FifosAreErrorsThatNameThePath) {
  os::FileSystemUnderTest under_test(FileSystemKind::kReal);
  ASSERT_EQ(::mkfifo((under_test.root() / "a fifo").c_str(), 0600), 0);
  auto store = make_file_store(under_test.files());
  const Uri folder = parse_uri(under_test.root().string()).value();
  const auto listed = store->list(folder);
  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(listed.error().message.find("a fifo"), std::string::npos);
  EXPECT_NE(listed.error().message.find(to_string(folder)), std::string::npos);
  EXPECT_FALSE(store->local_folder(folder));
}

}  // namespace
}  // namespace evener::storage
