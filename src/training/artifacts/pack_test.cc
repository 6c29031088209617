#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/ids.h"
#include "os/file_system_faulty.h"
#include "training/artifacts/test_tree_test.h"

namespace evener::artifacts {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Pack : public testing::Test {
 protected:
  Result<PackResult> pack(const std::vector<std::string>& hosts, const std::string& target,
                          std::size_t threads = 2) {
    std::vector<HostFolder> folders;
    for (const std::string& host : hosts)
      folders.push_back({.host = host, .folder = tree.at(host), .seen_as = "/opt/ml/model"});
    return pack_archive(folders, tree.uri(target), {.threads = threads}, tree.stores, *tree.files,
                        {}, {});
  }
  TestTree tree;
};

constexpr const char* kPythonExtract =
    "python3 -c 'import tarfile; tarfile.open(\"out/m.tar.gz\").extractall(\"got\")'";

TEST_F(Pack, TarAndPythonUnpackWhatWasPacked) {
  tree.write("algo-1/model.bin", std::string(3'000'000, 'x') + "end");
  tree.write("algo-1/code/run.sh", "#!/bin/sh\n");
  std::filesystem::permissions(tree.at("algo-1/code/run.sh"), std::filesystem::perms::owner_all);
  tree.write("algo-1/empty", "");
  tree.write("algo-1/" + std::string(120, 'l') + "/" + std::string(200, 'n'), "long");
  tree.write("algo-1/new\nline and \xff\xfe", "odd");
  tree.write("algo-1/\xc3\xa4/" + std::string(90, 'a') + "\xff" + std::string(90, 'b'), "long and odd");
  tree.link("algo-1/code/latest", "../model.bin");
  tree.link("algo-1/abs", "/opt/ml/model/code/run.sh");
  tree.link("algo-1/far", std::string(130, 't'));
  ASSERT_TRUE(pack({"algo-1"}, "out/m.tar.gz").has_value());
  auto expected = tree.contents("algo-1");
  expected["abs"] = "link code/run.sh";

  ASSERT_EQ(tree.shell("mkdir got && tar xzf out/m.tar.gz -C got"), 0);
  EXPECT_EQ(tree.contents("got"), expected);
  std::filesystem::remove_all(tree.at("got"));
  ASSERT_EQ(tree.shell(kPythonExtract), 0);
  EXPECT_EQ(tree.contents("got"), expected);
  EXPECT_EQ(tree.shell("tar tvzf out/m.tar.gz 2>&1 | grep -i warn"), 256) << "tar warned";
}

TEST_F(Pack, RandomTreesGiveTheSameBytesWithAnyNumberOfThreads) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    SeededRandom random(seed);
    for (std::size_t i = 0; i < 40; ++i) {
      std::string text(random.below(10) == 0 ? random.below(3'000'000) : random.below(5000), 'a');
      if (random.below(2) == 0)
        for (char& c : text) c = static_cast<char>(random.below(256));
      tree.write("algo-" + std::to_string(1 + random.below(2)) + "/" + std::to_string(random.below(4)) +
                     "/" + std::to_string(random.below(30)),
                 text);
    }
    for (const std::size_t threads : {1u, 2u, 3u})
      ASSERT_TRUE(pack({"algo-1", "algo-2"}, "out/" + std::to_string(threads), threads).has_value());
    EXPECT_EQ(tree.read("out/1"), tree.read("out/2")) << "seed " << seed;
    EXPECT_EQ(tree.read("out/1"), tree.read("out/3")) << "seed " << seed;
    ASSERT_EQ(tree.shell("gzip -t out/1"), 0);
  }
}

TEST_F(Pack, EqualContentGivesEqualBytesWhateverTheTimesModesAndHoles) {
  tree.write("a/x", std::string(2 << 20, '\0') + "end");
  tree.write("a/y", "1");
  ASSERT_TRUE(pack({"a"}, "out/a").has_value());
  tree.write("b/y", "1");
  tree.write("b/x", "");
  std::filesystem::resize_file(tree.at("b/x"), 2 << 20);
  std::ofstream(tree.at("b/x"), std::ios::app) << "end";
  std::filesystem::permissions(tree.at("b/y"), std::filesystem::perms::owner_read);
  std::filesystem::create_directories(tree.at("b/nothing/in/here"));
  ASSERT_TRUE(pack({"b"}, "out/b").has_value());
  EXPECT_EQ(tree.read("out/a"), tree.read("out/b"));
}

TEST_F(Pack, SparseFilesStaySparseForTarAndPython) {
  tree.write("algo-1/holes", "begin");
  std::filesystem::resize_file(tree.at("algo-1/holes"), 64 << 20);
  std::ofstream(tree.at("algo-1/holes"), std::ios::app) << std::string(300'000, 'm');
  std::filesystem::resize_file(tree.at("algo-1/holes"), 128 << 20);
  tree.write("algo-1/void", "");
  std::filesystem::resize_file(tree.at("algo-1/void"), 5ull << 30);
  const auto packed = pack({"algo-1"}, "out/m.tar.gz");
  ASSERT_TRUE(packed.has_value()) << packed.error().message;
  EXPECT_LT(packed->bytes_written, 100'000u);
  for (const char* extract : {"mkdir got && tar xzf out/m.tar.gz -C got", kPythonExtract}) {
    ASSERT_EQ(tree.shell(extract), 0) << extract;
    EXPECT_EQ(tree.shell("cmp algo-1/holes got/holes"), 0) << extract;
    EXPECT_EQ(std::filesystem::file_size(tree.at("got/void")), 5ull << 30) << extract;
    EXPECT_LT(tree.files->stat(tree.at("got/holes"))->allocated, 4u << 20) << extract;
    std::filesystem::remove_all(tree.at("got"));
  }
}

TEST_F(Pack, AFileBeyondEightGibibytesIsDescribedForEveryReader) {
  tree.write("algo-1/huge", "");
  std::filesystem::resize_file(tree.at("algo-1/huge"), 9ull << 30);
  tree.write("algo-1/z", "behind it");
  ASSERT_TRUE(pack({"algo-1"}, "out/m.tar.gz").has_value());
  EXPECT_EQ(tree.shell("tar tvzf out/m.tar.gz | grep -q ' 9663676416 .* huge$'"), 0);
  EXPECT_EQ(tree.shell("tar xzf out/m.tar.gz -O z | grep -q 'behind it'"), 0);
}

TEST_F(Pack, HostsAreMergedAndClashesReported) {
  tree.write("algo-2/same", "s");
  tree.write("algo-10/same", "s");
  tree.write("algo-2/differs", "two");
  tree.write("algo-10/differs", "ten");
  tree.write("algo-10/own", "o");
  const auto packed = pack({"algo-10", "algo-2"}, "out/m.tar.gz");
  ASSERT_TRUE(packed.has_value());
  ASSERT_EQ(packed->clashes.size(), 1u);
  EXPECT_EQ(packed->clashes[0],
            (jobs::PathClash{.path = "differs", .kept = "algo-2", .dropped = {"algo-10"}}));
  ASSERT_EQ(tree.shell("mkdir got && tar xzf out/m.tar.gz -C got"), 0);
  EXPECT_EQ(tree.contents("got"),
            (std::map<std::string, std::string>{{"differs", "file two"}, {"own", "file o"}, {"same", "file s"}}));
}

TEST_F(Pack, NothingIsWrittenWhenNoHostHasAFile) {
  std::filesystem::create_directories(tree.at("algo-1/only/folders"));
  const auto packed = pack({"algo-1", "algo-2"}, "out/m.tar.gz");
  ASSERT_TRUE(packed.has_value());
  EXPECT_TRUE(packed->empty);
  EXPECT_FALSE(std::filesystem::exists(tree.at("out")));
}

TEST_F(Pack, SpecialFilesAndLinksThatLeaveAreLeftOutByName) {
  tree.write("algo-1/ok", "1");
  tree.link("algo-1/etc", "/etc/passwd");
  ASSERT_EQ(tree.shell("mkfifo algo-1/pipe"), 0);
  const auto packed = pack({"algo-1"}, "out/m.tar.gz");
  ASSERT_TRUE(packed.has_value());
  EXPECT_THAT(packed->left_out, ElementsAre(HasSubstr("algo-1: pipe: a socket, FIFO or device"),
                                            HasSubstr("algo-1: etc: symlink to /etc/passwd")));
  EXPECT_EQ(tree.shell("test \"$(tar tzf out/m.tar.gz)\" = ok"), 0);
}

TEST_F(Pack, AFileThatChangesMeanwhileFailsByName) {
  tree.write("algo-1/log", std::string(5'000'000, 'x'));
  const std::vector<HostFolder> folders{{.host = "algo-1", .folder = tree.at("algo-1"), .seen_as = ""}};
  for (const std::size_t size : {std::size_t{100}, std::size_t{6'000'000}}) {
    // The archive is created after the layout is made and before content is read.
    class Shrinking final : public storage::ObjectStore {
     public:
      Shrinking(TestTree& test_tree, std::size_t new_size) : tree_(test_tree), size_(new_size) {}
      Result<std::vector<storage::StoredObject>> list(const storage::Uri&) override { return {}; }
      Result<std::unique_ptr<os::ReadableFile>> open(const storage::Uri&) override {
        return failure(ErrorCode::kUnsupported, "");
      }
      Result<std::unique_ptr<os::WritableFile>> create(const storage::Uri& uri) override {
        std::filesystem::resize_file(tree_.at("algo-1/log"), size_);
        return tree_.files->create("/" + uri.key + ".part");
      }
      Status remove(const storage::Uri&) override { return ok(); }
      std::optional<os::fs::path> local_folder(const storage::Uri&) override { return {}; }

     private:
      TestTree& tree_;
      std::size_t size_;
    };
    storage::StoreSet stores;
    stores.add("file", std::make_unique<Shrinking>(tree, size));
    const auto packed =
        pack_archive(folders, tree.uri("m"), {.threads = 2}, stores, *tree.files, {}, {});
    ASSERT_FALSE(packed.has_value());
    EXPECT_THAT(packed.error().message, HasSubstr("algo-1: log: the file "));
    std::filesystem::resize_file(tree.at("algo-1/log"), 5'000'000);
  }
}

TEST_F(Pack, AStopRequestLeavesNothingBehind) {
  tree.write("algo-1/m", std::string(5'000'000, 'x'));
  std::stop_source stop;
  stop.request_stop();
  const auto packed = pack_archive({{.host = "algo-1", .folder = tree.at("algo-1"), .seen_as = ""}},
                                   tree.uri("out/m.tar.gz"), {.threads = 2}, tree.stores,
                                   *tree.files, {}, stop.get_token());
  EXPECT_EQ(packed.error().code, ErrorCode::kCancelled);
  EXPECT_THAT(tree.contents("out"), IsEmpty());
}

TEST_F(Pack, ProgressEndsWithEverything) {
  tree.write("algo-1/m", std::string(5'000'000, 'x'));
  std::uint64_t done = 0;
  std::uint64_t total = 0;
  const auto packed = pack_archive(
      {{.host = "algo-1", .folder = tree.at("algo-1"), .seen_as = ""}}, tree.uri("out/m.tar.gz"),
      {.threads = 2}, tree.stores, *tree.files,
      [&](std::uint64_t now, std::uint64_t all) {
        done = now;
        total = all;
      },
      {});
  ASSERT_TRUE(packed.has_value());
  EXPECT_EQ(done, total);
  EXPECT_GT(total, 5'000'000u);
  EXPECT_EQ(packed->bytes_read, 5'000'000u);
  EXPECT_EQ(packed->bytes_written, std::filesystem::file_size(tree.at("out/m.tar.gz")));
}

TEST_F(Pack, WhicheverCallFailsTheErrorIsPassedOnAndNoArchiveAppears) {
  tree.write("algo-1/m", std::string(1'500'000, 'x'));
  tree.write("algo-1/d/same", "1");
  tree.write("algo-2/d/same", "1");
  tree.link("algo-1/l", "m");
  for (std::uint64_t call = 1;; ++call) {
    os::FaultyFileSystem faulty(
        *tree.files, {.fail_at = call, .fail_once = true, .error = {ErrorCode::kNoSpace, "full"}});
    storage::StoreSet stores;
    stores.add("file", storage::make_file_store(faulty));
    const auto packed = pack_archive({{.host = "algo-1", .folder = tree.at("algo-1"), .seen_as = ""},
                                      {.host = "algo-2", .folder = tree.at("algo-2"), .seen_as = ""}},
                                     tree.uri("out/m.tar.gz"), {.threads = 2}, stores, faulty, {}, {});
    if (faulty.calls() < call) {
      ASSERT_TRUE(packed.has_value());
      EXPECT_GT(call, 15u);
      break;
    }
    ASSERT_FALSE(packed.has_value()) << "call " << call << " failed unseen";
    EXPECT_EQ(packed.error().code, ErrorCode::kNoSpace);
    EXPECT_THAT(packed.error().message, HasSubstr("full"));
    EXPECT_THAT(tree.contents("out"), IsEmpty()) << "call " << call;
  }
}

TEST_F(Pack, TheSameMergeAsObjectsFollowsLinksToFiles) {
  tree.write("algo-1/d/f", "1");
  tree.link("algo-1/l", "d/f");
  tree.link("algo-1/folder", "d");
  tree.write("algo-2/g", "2");
  const auto copied = copy_merged({{.host = "algo-1", .folder = tree.at("algo-1"), .seen_as = ""},
                                   {.host = "algo-2", .folder = tree.at("algo-2"), .seen_as = ""}},
                                  tree.uri("out/model"), {.threads = 2}, tree.stores, *tree.files, {}, {});
  ASSERT_TRUE(copied.has_value());
  EXPECT_EQ(tree.contents("out/model"),
            (std::map<std::string, std::string>{
                {"d", "folder"}, {"d/f", "file 1"}, {"l", "file 1"}, {"g", "file 2"}}));
  EXPECT_THAT(copied->left_out, ElementsAre(HasSubstr("algo-1: folder: symlink to d")));
  EXPECT_EQ(copied->bytes_written, 3u);
}

TEST_F(Pack, ObjectsThatWereWrittenAreTakenBackWhenOneFails) {
  for (int i = 0; i < 4; ++i) tree.write("algo-1/f" + std::to_string(i), "1");
  for (std::uint64_t call = 1;; ++call) {
    os::FaultyFileSystem faulty(*tree.files, {.fail_at = call, .fail_once = true});
    storage::StoreSet stores;
    stores.add("file", storage::make_file_store(faulty));
    const auto copied = copy_merged({{.host = "algo-1", .folder = tree.at("algo-1"), .seen_as = ""}},
                                    tree.uri("out"), {.threads = 1}, stores, faulty, {}, {});
    if (faulty.calls() < call) break;
    ASSERT_FALSE(copied.has_value());
    EXPECT_THAT(tree.contents("out"), IsEmpty()) << "call " << call;
  }
}

}  // namespace
}  // namespace evener::artifacts
