#include "training/backends/local/job_folder/host_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "os/temporary_folder_test.h"

namespace evener::backends {
namespace {

namespace fs = std::filesystem;

class HostFiles : public ::testing::Test {
 protected:
  HostFiles() { fs::create_directories(ml_ / "output"); }
  void write(const fs::path& path, std::string_view text) { std::ofstream(path) << text; }
  os::TemporaryFolder folder_;
  fs::path ml_ = folder_.path() / "ml";
  fs::path failure_ = ml_ / "output" / "failure";
};

TEST_F(HostFiles, TheFailureFileIsRead) {
  write(failure_, "ExecuteUserScriptError:\nExitCode 1");
  EXPECT_EQ(read_failure_text(ml_), "ExecuteUserScriptError:\nExitCode 1");
}

TEST_F(HostFiles, NoFailureFileIsNoText) { EXPECT_EQ(read_failure_text(ml_), ""); }

TEST_F(HostFiles, OnlyTheFirstKibibyteCounts) {
  write(failure_, std::string(5'000'000, 'x'));
  EXPECT_EQ(read_failure_text(ml_), std::string(1024, 'x'));
}

TEST_F(HostFiles, ACharacterThatTheLimitCutsIsLeftOutWhole) {
  write(failure_, std::string(1023, 'x') + "\xC3\xA4 and more");
  EXPECT_EQ(read_failure_text(ml_), std::string(1023, 'x'));
}

TEST_F(HostFiles, InvalidBytesAreReplaced) {
  write(failure_, "a\xFF" "b");
  EXPECT_EQ(read_failure_text(ml_), "a\xEF\xBF\xBD" "b");
  write(failure_, std::string(3000, '\xFF'));
  EXPECT_LE(read_failure_text(ml_).size(), 1024u);
}

TEST_F(HostFiles, AFifoDoesNotHang) {
  ASSERT_EQ(::mkfifo(failure_.c_str(), 0600), 0);
  EXPECT_EQ(read_failure_text(ml_), "");
}

TEST_F(HostFiles, ASymlinkOrFolderIsNotFollowed) {
  write(folder_.path() / "secret", "secret");
  fs::create_symlink(folder_.path() / "secret", failure_);
  EXPECT_EQ(read_failure_text(ml_), "");
  fs::remove(failure_);
  fs::create_directory(failure_);
  EXPECT_EQ(read_failure_text(ml_), "");
}

TEST_F(HostFiles, ASymlinkInPlaceOfAFolderIsNotFollowed) {
  fs::create_directories(folder_.path() / "elsewhere" / "data");
  write(folder_.path() / "elsewhere" / "failure", "secret");
  fs::remove_all(ml_ / "output");
  fs::create_directory_symlink(folder_.path() / "elsewhere", ml_ / "output");
  EXPECT_EQ(read_failure_text(ml_), "");
  EXPECT_FALSE(is_plain_folder(ml_, {"output"}));
  EXPECT_FALSE(is_plain_folder(ml_, {"output", "data"}));
}

TEST_F(HostFiles, PlainFoldersAreToldFromFilesAndAbsentOnes) {
  EXPECT_TRUE(is_plain_folder(ml_, {"output"}));
  write(ml_ / "model", "x");
  EXPECT_FALSE(is_plain_folder(ml_, {"model"}));
  EXPECT_FALSE(is_plain_folder(ml_, {"nothing"}));
}

}  // namespace
}  // namespace evener::backends
