#include "training/logs/log_file.h"

#include <gtest/gtest.h>
#include <fcntl.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>

#include "base/ids.h"
#include "os/temporary_folder_test.h"
#include "training/logs/logs.h"

namespace evener::logs {
namespace {

void put(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::vector<LogLine> read_all(const std::filesystem::path& folder) {
  auto reader = open_log(folder, "algo-1");
  std::vector<LogLine> all;
  while (true) {
    auto lines = (*reader)->read(1000);
    if (!lines || lines->empty()) return all;
    all.insert(all.end(), lines->begin(), lines->end());
  }
}

// Makes files fail to grow beyond `bytes`, as a full disk does.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : old_signal_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &old_);
    set(bytes);
  }
  ~FileSizeLimit() {
    set(old_.rlim_cur);
    std::signal(SIGXFSZ, old_signal_);
  }
  void set(rlim_t bytes) const {
    const rlimit limit{bytes, old_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }

 private:
  rlimit old_{};
  void (*old_signal_)(int);
};

class LogFileTest : public testing::Test {
 protected:
  std::unique_ptr<LogFile> open() {
    auto file = LogFile::open(folder_.path(), "algo-1");
    EXPECT_TRUE(file.has_value());
    return std::move(*file);
  }
  std::filesystem::path log() const { return folder_.path() / "algo-1.log"; }
  std::filesystem::path index() const { return folder_.path() / "algo-1.index"; }

  os::TemporaryFolder folder_;
};

TEST_F(LogFileTest, NeverLetsTimesDecrease) {
  auto file = open();
  file->add(from_millis(2000), Mark::kLine, "a");
  file->add(from_millis(1000), Mark::kLine, "clock was set back");
  file->flush();
  file = open();
  file->add(from_millis(500), Mark::kLine, "again");
  file->flush();
  EXPECT_EQ(os::content_of(log()),
            "0000000002000 a\n0000000002000 clock was set back\n0000000002000 again\n");
}

TEST_F(LogFileTest, CutsOffATornTailWhenItIsOpenedAgain) {
  put(log(), "0000000001000 whole\n0000000001001 to");
  auto file = open();
  file->add(from_millis(1002), Mark::kLine, "next");
  file->flush();
  EXPECT_EQ(os::content_of(log()), "0000000001000 whole\n0000000001002 next\n");
}

TEST_F(LogFileTest, CutsOffMegabytesOfZerosAfterAPowerCut) {
  put(log(), "0000000001000 whole\n" + std::string(3'000'000, '\0'));
  open();
  EXPECT_TRUE(os::content_of(log()) == "0000000001000 whole\n");
}

TEST_F(LogFileTest, EndsALineThatACrashLeftOpen) {
  put(log(), "0000000001000~10%\n0000000001001!note\n");
  open();
  EXPECT_EQ(os::content_of(log()), "0000000001000$10%\n0000000001001!note\n");
  put(log(), "0000000001000+piece\n000000");
  open();
  EXPECT_EQ(os::content_of(log()), "0000000001000$piece\n");
}

TEST_F(LogFileTest, RebuildsAMissingOrTornIndex) {
  {
    auto file = open();
    for (int i = 0; i < 20'000; ++i)
      file->add(from_millis(1000 + i), Mark::kLine, "line " + std::to_string(i));
    file->flush();
  }
  const std::string whole = os::content_of(index());
  EXPECT_EQ(whole.size(), (os::content_of(log()).size() / kIndexSpacing + 1) * kIndexEntryBytes);
  std::filesystem::remove(index());
  open();
  EXPECT_EQ(os::content_of(index()), whole);
  put(index(), whole.substr(0, whole.size() - 5));
  open();
  EXPECT_EQ(os::content_of(index()), whole);
  put(index(), whole + std::string(64, '\xff'));
  open();
  EXPECT_EQ(os::content_of(index()), whole);
}

TEST_F(LogFileTest, RefusesNamesThatLeaveTheFolder) {
  for (const char* host : {"", "../x", "a/b", ".", ".."})
    EXPECT_EQ(LogFile::open(folder_.path(), host).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(LogFileTest, DoesNotFollowALink) {
  put(folder_.path() / "other", "");
  std::filesystem::create_symlink(folder_.path() / "other", log());
  EXPECT_FALSE(LogFile::open(folder_.path(), "algo-1").has_value());
}

TEST_F(LogFileTest, CountsWhatAFullDiskLosesAndSaysSoLater) {
  auto file = open();
  const std::string record_of_100(85, 'x');
  FileSizeLimit limit(1050);
  for (int i = 0; i < 15; ++i) file->add(from_millis(1000), Mark::kLine, record_of_100);
  file->flush();
  EXPECT_EQ(file->lost_lines(), 5u);
  EXPECT_TRUE(file->owes_note());
  EXPECT_EQ(os::content_of(log()).size(), 1000u);
  file->add(from_millis(1001), Mark::kLine, "lost too");
  file->flush();
  EXPECT_EQ(file->lost_lines(), 6u);
  limit.set(RLIM_INFINITY);
  file->add(from_millis(1002), Mark::kLine, "back");
  file->flush();
  EXPECT_FALSE(file->owes_note());
  const std::vector<LogLine> lines = read_all(folder_.path());
  ASSERT_EQ(lines.size(), 12u);
  EXPECT_TRUE(lines[10].note);
  EXPECT_EQ(lines[10].text, "evener: 6 lines of output were lost here: File too large");
  EXPECT_EQ(lines[11].text, "back");
}

TEST_F(LogFileTest, SaysWhatWasLostThoughNothingMoreIsPrinted) {
  auto file = open();
  FileSizeLimit limit(10);
  file->add(from_millis(1000), Mark::kLine, "lost");
  file->flush();
  limit.set(RLIM_INFINITY);
  file->flush();
  EXPECT_EQ(os::content_of(log()),
            "0000000001000!evener: 1 lines of output were lost here: File too large\n");
}

TEST_F(LogFileTest, EndsAnOpenLineWhoseRestIsLost) {
  auto file = open();
  FileSizeLimit limit(30);
  file->add(from_millis(1000), Mark::kPiece, "piece");
  file->add(from_millis(1000), Mark::kLine, "the rest of the line");
  file->flush();
  EXPECT_EQ(os::content_of(log()), "0000000001000$piece\n");
  EXPECT_EQ(file->lost_lines(), 1u);
}

TEST_F(LogFileTest, KeepsARightIndexThroughAFullDisk) {
  SeededRandom random(7);
  auto file = open();
  FileSizeLimit limit(0);
  std::int64_t millis = 1000;
  std::uint64_t added = 0;
  for (int i = 0; i < 300; ++i) {
    limit.set(random.below(3) == 0 ? std::filesystem::file_size(log()) + random.below(20'000)
                                   : RLIM_INFINITY);
    for (std::uint64_t n = random.below(200); n > 0; --n, ++added) {
      millis += static_cast<std::int64_t>(random.below(3));
      file->add(from_millis(millis), Mark::kLine, std::string(random.below(300), 'x'));
    }
    file->flush();
  }
  limit.set(RLIM_INFINITY);
  file->flush();
  std::uint64_t kept = 0;
  for (const LogLine& line : read_all(folder_.path())) kept += line.note ? 0 : 1;
  EXPECT_GT(file->lost_lines(), 0u);
  EXPECT_EQ(kept + file->lost_lines(), added);
  const std::string before = os::content_of(index());
  std::filesystem::remove(index());
  file = nullptr;
  open();
  EXPECT_FALSE(before.empty());
  const os::UniqueFd written(::open(log().c_str(), O_RDONLY | O_CLOEXEC));
  put(index(), before);
  const os::UniqueFd entries(::open(index().c_str(), O_RDONLY | O_CLOEXEC));
  for (std::uint64_t i = 0; i < before.size() / kIndexEntryBytes; ++i)
    EXPECT_TRUE(entry_holds(written.get(), *read_entry(entries.get(), i)));
}

}  // namespace
}  // namespace evener::logs
