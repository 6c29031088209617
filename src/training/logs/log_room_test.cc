#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/statvfs.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "training/logs/log_file.h"

namespace evener::logs {
namespace {

constexpr std::uint64_t kDiskBytes = 2u << 20;

class SmallDisk : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string path = std::filesystem::temp_directory_path() / "evener-room-XXXXXX";
    ASSERT_NE(::mkdtemp(path.data()), nullptr);
    folder_ = path;
    const std::string size = "size=" + std::to_string(kDiskBytes);
    if (::mount("tmpfs", path.c_str(), "tmpfs", 0, size.c_str()) != 0) {
      GTEST_SKIP() << "a disk cannot be mounted here: " << std::strerror(errno);
    }
  }
  void TearDown() override {
    ::umount2(folder_.c_str(), MNT_DETACH);
    std::filesystem::remove(folder_);
  }
  std::uint64_t free_bytes() const {
    struct statvfs disk {};
    EXPECT_EQ(::statvfs(folder_.c_str(), &disk), 0);
    return std::uint64_t{disk.f_bavail} * disk.f_frsize;
  }

  std::filesystem::path folder_;
};

// Writes more lines than the disk takes.
void overflow(LogFile& log) {
  const std::string line(3000, 'x');
  for (int i = 0; i < 1000; ++i) log.add(from_millis(i), Mark::kLine, line);
  log.flush();
}

TEST_F(SmallDisk, LinesLeaveRoomForWhatBecomesOfTheJob) {
  auto log = LogFile::open(folder_, "algo-1");
  ASSERT_TRUE(log) << log.error().message;
  overflow(**log);
  EXPECT_GT((*log)->lost_lines(), 0u);
  EXPECT_GE(free_bytes(), kRoomForEvents);
}

TEST_F(SmallDisk, LinesGoOnOnlyWhenMuchIsFreeAgain) {
  const auto other = folder_ / "other";
  { std::ofstream(other) << std::string(kRoomForEvents + 4096, 'x'); }
  auto log = LogFile::open(folder_, "algo-1");
  ASSERT_TRUE(log) << log.error().message;
  overflow(**log);
  const std::uint64_t lost = (*log)->lost_lines();
  (*log)->add(from_millis(2000), Mark::kLine, "short");
  (*log)->flush();
  EXPECT_EQ((*log)->lost_lines(), lost + 1);

  std::filesystem::remove(other);
  (*log)->add(from_millis(3000), Mark::kLine, "short");
  (*log)->flush();
  EXPECT_EQ((*log)->lost_lines(), lost + 1);
  EXPECT_FALSE((*log)->owes_note());
}

}  // namespace
}  // namespace evener::logs
