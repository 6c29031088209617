// Staging on a file system that shares blocks: made in a file, mounted where nobody else sees it.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>

#include "os/file_system.h"
#include "os/temporary_folder_test.h"
#include "training/artifacts/host_calls.h"

namespace evener::artifacts {
namespace {
namespace fs = std::filesystem;

constexpr std::size_t kFileBytes = 16u << 20;
constexpr std::uint64_t kImageBytes = 512u << 20;   // sparse

std::uint64_t free_bytes(const fs::path& folder) {
  struct statvfs status {};
  ::sync();
  return ::statvfs(folder.c_str(), &status) == 0 ? status.f_bfree * status.f_frsize : 0;
}

bool runs(const std::string& command) {
  return std::system((command + " >/dev/null 2>&1").c_str()) == 0;
}

// "" for a mounted file system, else why there is none. Only this process sees the mount.
std::string mount_image(const fs::path& folder, const fs::path& point) {
  if (::geteuid() != 0) return "not root";
  const fs::path image = folder / "image";
  std::ofstream(image).close();
  fs::resize_file(image, kImageBytes);
  const std::string name = "'" + image.string() + "'";
  if (!runs("mkfs.btrfs -q " + name) && !runs("mkfs.xfs -q -m reflink=1 " + name)) {
    return "neither mkfs.btrfs nor mkfs.xfs works here";
  }
  if (::unshare(CLONE_NEWNS) != 0 ||
      ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    return "no mount namespace";
  }
  fs::create_directory(point);
  if (!runs("mount -o loop " + name + " '" + point.string() + "'")) return "no loop mount";
  return {};
}

void make_file(const fs::path& path) {
  std::string block(1u << 16, 'x');
  for (std::size_t i = 0; i < block.size(); ++i) block[i] = static_cast<char>(i * 31 >> 3);
  std::ofstream out(path);
  for (std::size_t written = 0; written < kFileBytes; written += block.size()) out << block;
}

// In a child, since a mount namespace cannot be left. "" for success.
std::string share_blocks(const fs::path& folder) {
  const fs::path point = folder / "mounted";
  if (std::string why = mount_image(folder, point); !why.empty()) return "skip: " + why;
  make_file(point / "input");
  const std::uint64_t before = free_bytes(point);
  if (const Status cloned = clone_file(point / "input", point / "clone"); !cloned) {
    return cloned.error().message;
  }
  const auto files = os::make_real_file_system();
  if (const Status copied = files->copy_file(point / "input", point / "copy"); !copied) {
    return copied.error().message;
  }
  const std::uint64_t used = before - std::min(before, free_bytes(point));
  if (used >= kFileBytes) return "the copies took " + std::to_string(used) + " bytes";
  std::ofstream(point / "copy", std::ios::in | std::ios::out) << "theirs";
  std::string start(6, ' ');
  std::ifstream(point / "input").read(start.data(), 6);
  return start == "theirs" ? "a write to the copy reached the input" : "";
}

TEST(Reflink, CopiesShareTheirBlocksAndAWriteToOneDoesNotReachTheOther) {
  const os::TemporaryFolder folder;
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string text = share_blocks(folder.path());
    (void)!::write(ends[1], text.data(), text.size());
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string text(4096, '\0');
  const ssize_t size = ::read(ends[0], text.data(), text.size());
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  ::close(ends[0]);
  int status = -1;
  ::waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  if (text.starts_with("skip: ")) GTEST_SKIP() << text.substr(6);
  EXPECT_EQ(text, "");
}

}  // namespace
}  // namespace evener::artifacts
