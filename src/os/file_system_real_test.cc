// What only the machine's own file system has: holes, owners, mounts, races, full disks.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/fsuid.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <sched.h>
#include <sys/wait.h>

#include "os/file_system.h"
#include "os/temporary_folder_test.h"
#include "os/unique_fd.h"

namespace evener::os {
namespace {

constexpr unsigned kOtherUser = 65534;

class RealFiles : public testing::Test {
 protected:
  fs::path at(std::string_view name) const { return folder_.path() / name; }
  void put(std::string_view name, std::string_view text) {
    fs::create_directories(at(name).parent_path());
    std::ofstream(at(name)) << text;
  }
  std::unique_ptr<FileSystem> files_ = make_real_file_system();

 private:
  TemporaryFolder folder_;
};

// Runs `body` in a child process as another user if we are root; true if it returned true.
bool as_plain_user(const std::function<bool()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && (::setgid(kOtherUser) != 0 || ::setuid(kOtherUser) != 0)) ::_exit(2);
    ::_exit(body() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status == 0;
}

// Gives this (child) process mounts of its own, as root or through a user namespace.
bool own_mounts() {
  const auto write = [](const char* path, const std::string& text) {
    return static_cast<bool>((std::ofstream(path) << text).flush());
  };
  const std::string users = "0 " + std::to_string(::getuid()) + " 1";
  const std::string groups = "0 " + std::to_string(::getgid()) + " 1";
  if (::unshare(CLONE_NEWNS) != 0) {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    if (!write("/proc/self/uid_map", users) || !write("/proc/self/setgroups", "deny") ||
        !write("/proc/self/gid_map", groups))
      return false;
  }
  return ::mount("", "/", "", MS_REC | MS_PRIVATE, "") == 0;
}

TEST_F(RealFiles, HolesAreToldAndKeptByACopy) {
  const UniqueFd fd(::open(at("sparse").c_str(), O_RDWR | O_CREAT, 0600));
  ASSERT_EQ(::ftruncate(fd.get(), 64 << 20), 0);
  ASSERT_EQ(::pwrite(fd.get(), "data", 4, 32 << 20), 4);
  const auto before = files_->stat(at("sparse")).value();
  if (before.allocated > (1 << 20)) GTEST_SKIP() << "this file system has no holes";
  ASSERT_TRUE(files_->copy_file(at("sparse"), at("copy")));
  const auto after = files_->stat(at("copy")).value();
  EXPECT_EQ(after.size, before.size);
  EXPECT_LE(after.allocated, 1u << 20);
  for (const char* name : {"sparse", "copy"}) {
    const auto extents = files_->open(at(name)).value()->extents().value();
    ASSERT_EQ(extents.size(), 1u) << name;
    EXPECT_LE(extents[0].offset, 32u << 20);
    EXPECT_GE(extents[0].offset + extents[0].length, (32u << 20) + 4);
  }
}

TEST_F(RealFiles, CopyAcrossFileSystemsGivesTheSameBytes) {
  const fs::path other = "/dev/shm";
  struct stat here {};
  struct stat there {};
  if (::stat(other.c_str(), &there) != 0 || ::access(other.c_str(), W_OK) != 0 ||
      ::stat(at("").c_str(), &here) != 0 || here.st_dev == there.st_dev)
    GTEST_SKIP() << "there is no second file system at " << other;
  std::string text;
  for (int i = 0; text.size() < 3'000'000; ++i) text += std::to_string(i) + "\n";
  put("from", text);
  const fs::path target = other / ("evener-test-copy-" + std::to_string(::getpid()));
  ASSERT_TRUE(files_->copy_file(at("from"), target));
  EXPECT_EQ(read_text(*files_, target).value(), text);
  ASSERT_TRUE(files_->remove_file(target));
}

TEST_F(RealFiles, FifoNeitherBlocksNorIsRead) {
  ASSERT_EQ(::mkfifo(at("fifo").c_str(), 0600), 0);
  EXPECT_EQ(files_->open(at("fifo")).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(files_->copy_file(at("fifo"), at("copy")).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(files_->list(at("")).value()[0].kind, FileKind::kOther);
}

TEST_F(RealFiles, CopyDoesNotWriteThroughASymlinkAndDropsSetUserId) {
  put("from", "new");
  put("victim", "kept");
  fs::create_symlink("victim", at("link"));
  EXPECT_FALSE(files_->copy_file(at("from"), at("link")));
  EXPECT_EQ(read_text(*files_, at("victim")).value(), "kept");
  ASSERT_TRUE(files_->set_mode(at("from"), 04755));
  ASSERT_TRUE(files_->copy_file(at("from"), at("to")));
  EXPECT_EQ(files_->stat(at("to")).value().mode, 0755u);
}

TEST_F(RealFiles, TreeWithClosedFoldersIsRemovedByItsOwner) {
  ASSERT_EQ(::chmod(at("").c_str(), 0777), 0);
  EXPECT_TRUE(as_plain_user([&] {
    for (const char* mode : {"none", "read", "search"}) {
      const fs::path folder = at("tree") / mode;
      fs::create_directories(folder / "below");
      std::ofstream(folder / "below" / "file") << "x";
    }
    ::chmod((at("tree") / "none" / "below").c_str(), 0000);
    ::chmod((at("tree") / "none").c_str(), 0000);
    ::chmod((at("tree") / "read").c_str(), 0400);
    ::chmod((at("tree") / "search").c_str(), 0100);
    ::chmod(at("tree").c_str(), 0000);
    return make_real_file_system()->remove_tree(at("tree")).has_value();
  }));
  EXPECT_FALSE(fs::exists(at("tree")));
}

TEST_F(RealFiles, VeryDeepAndWideTreesAreRemoved) {
  constexpr int kDepth = 250;  // several times what is removed in one go
  UniqueFd folder(::open(at("").c_str(), O_RDONLY | O_DIRECTORY));
  for (int i = 0; i < kDepth; ++i) {
    ASSERT_EQ(::mkdirat(folder.get(), "d", 0700), 0);
    if (i % 100 == 0) UniqueFd(::openat(folder.get(), "file", O_CREAT | O_WRONLY, 0600));
    folder = UniqueFd(::openat(folder.get(), "d", O_RDONLY | O_DIRECTORY));
  }
  folder = UniqueFd(::open(at("d").c_str(), O_RDONLY | O_DIRECTORY));
  for (int i = 0; i < 1100; ++i)
    UniqueFd(::openat(folder.get(), std::to_string(i).c_str(), O_CREAT | O_WRONLY, 0600));
  EXPECT_TRUE(files_->remove_tree(at("d")));
  EXPECT_FALSE(fs::exists(at("d")));
}

TEST_F(RealFiles, RemovingATreeDoesNotFollowAFolderSwappedForASymlink) {
  for (int i = 0; i < 200; ++i) put("victim/" + std::to_string(i), "kept");
  std::atomic<bool> done = false;
  std::jthread swapper([&] {
    while (!done) {
      std::error_code ignored;
      fs::create_directories(at("tree/x"), ignored);
      fs::remove(at("tree/x"), ignored);
      fs::create_symlink(at("victim"), at("tree/x"), ignored);
      fs::remove(at("tree/x"), ignored);
    }
  });
  // May be refused: it is raced.
  for (int i = 0; i < 500; ++i) (void)files_->remove_tree(at("tree"));
  done = true;
  swapper.join();
  EXPECT_EQ(files_->list(at("victim")).value().size(), 200u);
}

TEST_F(RealFiles, MountInsideATreeIsNotEntered) {
  put("outside/file", "kept");
  fs::create_directories(at("tree/mounted"));
  // In a mount namespace of a child, so that nothing stays mounted whatever happens.
  const pid_t child = ::fork();
  if (child == 0) {
    if (!own_mounts() ||
        ::mount(at("outside").c_str(), at("tree/mounted").c_str(), "", MS_BIND, "") != 0)
      ::_exit(77);
    const Status removed = make_real_file_system()->remove_tree(at("tree"));
    ::_exit(!removed && removed.error().code == ErrorCode::kUnavailable ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "this user may not mount";
  EXPECT_EQ(status, 0);
  EXPECT_EQ(read_text(*files_, at("outside/file")).value(), "kept");
}

TEST_F(RealFiles, UnreadableFileIsPermissionDeniedAndNamed) {
  put("secret", "x");
  ASSERT_EQ(::chmod(at("secret").c_str(), 0000), 0);
  EXPECT_TRUE(as_plain_user([&] {
    ::chmod(at("").c_str(), 0755);
    const auto file = make_real_file_system()->open(at("secret"));
    return !file && file.error().code == ErrorCode::kPermissionDenied &&
           file.error().message.find("secret") != std::string::npos;
  }) || ::geteuid() == 0);
}

TEST_F(RealFiles, FullDiskIsSaidAndTheOldTextStays) {
  fs::create_directories(at("small"));
  const pid_t child = ::fork();
  if (child == 0) {
    if (!own_mounts() ||
        ::mount("tmpfs", at("small").c_str(), "tmpfs", 0, "size=64k") != 0)
      ::_exit(77);
    auto files = make_real_file_system();
    const bool old = write_text(*files, at("small/file"), "old").has_value();
    const Status full = write_text(*files, at("small/file"), std::string(1 << 20, 'x'));
    const bool kept = read_text(*files, at("small/file")).value_or("") == "old";
    const bool clean = files->list(at("small")).value().size() == 1;
    ::_exit(old && !full && full.error().code == ErrorCode::kNoSpace && kept && clean ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "this user may not mount";
  EXPECT_EQ(status, 0);
}

TEST_F(RealFiles, FilesWithoutAReportedSizeAreReadWhole) {
  EXPECT_GT(read_text(*files_, "/proc/self/status").value().size(), 100u);
}

}  // namespace
}  // namespace evener::os
