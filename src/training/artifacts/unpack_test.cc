#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/ids.h"
#include "os/file_system_faulty.h"
#include "training/artifacts/test_tree_test.h"

namespace evener::artifacts {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using Contents = std::map<std::string, std::string>;

class Unpack : public testing::Test {
 protected:
  // An archive from lines of Python that add to `t`, a tarfile opened for writing.
  void archive(const std::string& lines) {
    tree.write("make.py",
               "import tarfile, io\n"
               "t = tarfile.open('a.tar.gz', 'w:gz', format=tarfile.PAX_FORMAT)\n"
               "def add(name, text=b'', **facts):\n"
               "    i = tarfile.TarInfo(name); i.size = len(text)\n"
               "    for key, value in facts.items(): setattr(i, key, value)\n"
               "    t.addfile(i, io.BytesIO(text))\n" +
                   lines + "\nt.close()\n");
    ASSERT_EQ(tree.shell("python3 make.py"), 0);
  }
  Status unpack(const UnpackLimits& limits = {}) {
    return unpack_archive(tree.at("a.tar.gz"), tree.at("out"), limits, *tree.files);
  }
  void expect_refused(const std::string& lines, const std::string& message) {
    std::filesystem::remove_all(tree.at("out"));
    archive(lines);
    const Status done = unpack();
    ASSERT_FALSE(done.has_value()) << lines;
    EXPECT_EQ(done.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(done.error().message, HasSubstr(message)) << lines;
    EXPECT_THAT(tree.contents("out"), IsEmpty()) << lines;
  }
  TestTree tree;
};

TEST_F(Unpack, WhatTarWroteComesBackInEveryFormat) {
  tree.write("src/train.py", "print()");
  tree.write("src/run.sh", "#!/bin/sh");
  std::filesystem::permissions(tree.at("src/run.sh"), std::filesystem::perms::owner_all);
  tree.write("src/" + std::string(150, 'd') + "/\xc3\xa4 \xff", "odd");
  tree.link("src/link", "train.py");
  tree.write("src/hole", "");
  std::filesystem::resize_file(tree.at("src/hole"), 1 << 20);
  for (const char* how : {"tar czf a.tar.gz -C src .", "tar czf a.tar.gz -C src --format=pax .",
                          "tar cSf a.tar.gz -C src --format=pax .", "tar czSf a.tar.gz -C src --format=gnu ."}) {
    std::filesystem::remove_all(tree.at("out"));
    ASSERT_EQ(tree.shell(how), 0);
    const Status done = unpack();
    ASSERT_TRUE(done.has_value()) << how << ": " << done.error().message;
    EXPECT_EQ(tree.contents("out"), tree.contents("src")) << how;
  }
}

TEST_F(Unpack, PathsAndLinksThatLeaveTheFolderAreRefused) {
  expect_refused("add('/etc/evil', b'x')", "absolute");
  expect_refused("add('../evil', b'x')", "leads out");
  expect_refused("add('a/../../evil', b'x')", "leads out");
  expect_refused("add('l', type=tarfile.SYMTYPE, linkname='/etc')", "outside the folder");
  expect_refused("add('l', type=tarfile.SYMTYPE, linkname='../..')", "outside the folder");
  expect_refused("add('h', type=tarfile.LNKTYPE, linkname='/etc/passwd')", "hard link");
  expect_refused("add('h', type=tarfile.LNKTYPE, linkname='../x')", "hard link");
  expect_refused("add('h', type=tarfile.LNKTYPE, linkname='absent')", "no file before it");
}

TEST_F(Unpack, NothingIsWrittenThroughALink) {
  expect_refused("add('l', type=tarfile.SYMTYPE, linkname='.')\nadd('l/evil', b'x')", "goes through");
  expect_refused(
      "add('s', type=tarfile.SYMTYPE, linkname='.')\n"
      "add('t', type=tarfile.SYMTYPE, linkname='s/s/../evil')",
      "leaves the folder");
  expect_refused("add('a', type=tarfile.SYMTYPE, linkname='b')\nadd('b', type=tarfile.SYMTYPE, linkname='a')",
                 "leaves the folder or leads nowhere");
  archive("add('l/evil', b'x')");
  std::filesystem::create_directories(tree.at("elsewhere"));
  std::filesystem::remove_all(tree.at("out"));
  tree.link("out/l", "../elsewhere");
  EXPECT_FALSE(unpack().has_value());
  EXPECT_THAT(tree.contents("elsewhere"), IsEmpty());
}

TEST_F(Unpack, AnExistingLinkIsReplacedNotFollowed) {
  tree.write("precious", "kept");
  tree.link("out/l", "../precious");
  archive("add('l', b'new')");
  ASSERT_TRUE(unpack().has_value());
  EXPECT_EQ(tree.read("precious"), "kept");
  EXPECT_EQ(tree.contents("out"), (Contents{{"l", "file new"}}));
}

TEST_F(Unpack, DevicesAndFifosAreRefused) {
  expect_refused("add('d/n', type=tarfile.CHRTYPE, devmajor=1, devminor=3)", "special file");
  expect_refused("add('d/b', type=tarfile.BLKTYPE)", "special file");
  expect_refused("add('d/p', type=tarfile.FIFOTYPE)", "special file");
}

TEST_F(Unpack, HardLinksBecomeCopiesAndLaterEntriesReplaceEarlierOnes) {
  archive(
      "add('a', b'1')\nadd('h', type=tarfile.LNKTYPE, linkname='a')\nadd('a', b'2')\n"
      "add('l', type=tarfile.SYMTYPE, linkname='a')\nadd('l', b'3', mode=0o6777)");
  ASSERT_TRUE(unpack().has_value());
  EXPECT_EQ(tree.contents("out"), (Contents{{"a", "file 2"}, {"h", "file 1"}, {"l", "program 3"}}));
  EXPECT_EQ(tree.files->stat(tree.at("out/l"))->mode, 0755u);
}

TEST_F(Unpack, BombsStopAtTheLimits) {
  archive("add('zeros', bytes(5_000_000))");
  EXPECT_EQ(unpack({.bytes = 1'000'000, .entries = 10}).error().code, ErrorCode::kLimitExceeded);
  EXPECT_THAT(tree.contents("out"), IsEmpty());
  archive("for i in range(100): add(str(i))");
  EXPECT_EQ(unpack({.bytes = 1'000'000, .entries = 99}).error().code, ErrorCode::kLimitExceeded);
  archive("add('a', bytes(1000))\nfor i in range(2000): add(str(i), type=tarfile.LNKTYPE, linkname='a')");
  EXPECT_EQ(unpack({.bytes = 100'000, .entries = 9999}).error().code, ErrorCode::kLimitExceeded);
  ASSERT_EQ(tree.shell("truncate -s 1T hole && tar cSzf a.tar.gz hole"), 0);
  EXPECT_EQ(unpack().error().code, ErrorCode::kLimitExceeded);
}

TEST_F(Unpack, WhatIsNoArchiveOrIsCutOffIsCorrupt) {
  tree.write("a.tar.gz", "PK\x03\x04 something else entirely");
  EXPECT_EQ(unpack().error().code, ErrorCode::kCorrupt);
  archive("import random\nadd('a', random.Random(1).randbytes(300_000))");
  const std::string whole = tree.read("a.tar.gz");
  tree.write("a.tar.gz", whole.substr(0, whole.size() / 2));
  EXPECT_EQ(unpack().error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(unpack_archive(tree.at("absent"), tree.at("out"), {}, *tree.files).error().code,
            ErrorCode::kNotFound);
}

TEST_F(Unpack, DamagedArchivesNeverReachOutsideOrCrash) {
  archive(
      "add('d/f', b'x' * 3000)\nadd('l', type=tarfile.SYMTYPE, linkname='d/f')\n"
      "add('n' * 150, b'y')");
  ASSERT_EQ(tree.shell("gunzip -c a.tar.gz > plain.tar"), 0);
  const std::string plain = tree.read("plain.tar");
  const auto before = tree.contents("");
  SeededRandom random(3);
  for (int round = 0; round < 100; ++round) {
    std::string bad = plain;
    for (int i = 0; i < 3; ++i)
      bad[random.below(bad.size())] = static_cast<char>(random.below(256));
    tree.write("sandbox/bad.tar", bad);
    (void)unpack_archive(tree.at("sandbox/bad.tar"), tree.at("sandbox/out"), {}, *tree.files);
    std::filesystem::remove_all(tree.at("sandbox"));
    ASSERT_EQ(tree.contents(""), before) << "round " << round;
  }
}

TEST_F(Unpack, WhicheverCallFailsTheErrorIsPassedOn) {
  archive("add('d/a', b'1')\nadd('h', type=tarfile.LNKTYPE, linkname='d/a')\nadd('l', type=tarfile.SYMTYPE, linkname='h')");
  for (std::uint64_t call = 1;; ++call) {
    std::filesystem::remove_all(tree.at("out"));
    os::FaultyFileSystem faulty(*tree.files, {.fail_at = call, .fail_once = true});
    const Status done = unpack_archive(tree.at("a.tar.gz"), tree.at("out"), {}, faulty);
    if (faulty.calls() < call) {
      EXPECT_TRUE(done.has_value());
      EXPECT_GT(call, 10u);
      break;
    }
    ASSERT_FALSE(done.has_value()) << "call " << call << " failed unseen";
    EXPECT_THAT(done.error().message, HasSubstr("injected")) << call;
  }
}

}  // namespace
}  // namespace evener::artifacts
