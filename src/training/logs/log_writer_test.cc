#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "os/temporary_folder_test.h"
#include "training/logs/logs.h"

namespace evener::logs {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kLong{60'000};

struct Pipe {
  Pipe() {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    out = os::UniqueFd(ends[0]);
    in = os::UniqueFd(ends[1]);
  }
  void print(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t n = ::write(in.get(), text.data(), text.size());
      ASSERT_GT(n, 0);
      text.remove_prefix(static_cast<std::size_t>(n));
    }
  }
  os::UniqueFd out;
  os::UniqueFd in;
};

class LogWriterTest : public testing::Test {
 protected:
  void SetUp() override { start(); }
  void start() {
    auto made = make_log_writer(folder_.path() / "logs", clock_);
    ASSERT_TRUE(made.has_value());
    writer_ = std::move(*made);
  }
  std::vector<LogLine> read_all(const std::string& host) {
    std::vector<LogLine> all;
    auto reader = open_log(folder_.path() / "logs", host);
    EXPECT_TRUE(reader.has_value());
    while (reader) {
      const auto lines = (*reader)->read(10'000);
      if (!lines || lines->empty()) break;
      all.insert(all.end(), lines->begin(), lines->end());
    }
    return all;
  }
  // Waits until the host's log has `count` lines.
  std::vector<LogLine> await_lines(const std::string& host, std::size_t count) {
    while (true) {
      std::vector<LogLine> lines = read_all(host);
      if (lines.size() >= count) return lines;
      ::usleep(1000);
    }
  }

  os::TemporaryFolder folder_;
  FakeClock clock_{from_millis(1'700'000'000'000)};
  std::unique_ptr<LogWriter> writer_;
};

TEST_F(LogWriterTest, CapturesLinesUntilThePipeEnds) {
  Pipe pipe;
  ASSERT_TRUE(writer_->add_host("algo-1", std::move(pipe.out)).has_value());
  pipe.print("first\nsecond\nno newline");
  pipe.in.reset();
  ASSERT_TRUE(writer_->drain(kLong).has_value());
  const auto lines = read_all("algo-1");
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].text, "first");
  EXPECT_EQ(lines[0].time, from_millis(1'700'000'000'000));
  EXPECT_EQ(lines[2].text, "no newline");
  EXPECT_TRUE(lines[2].unterminated);
}

TEST_F(LogWriterTest, ShowsALineToAFollowerAtOnce) {
  Pipe pipe;
  ASSERT_TRUE(writer_->add_host("algo-1", std::move(pipe.out)).has_value());
  pipe.print("hello\n");
  EXPECT_EQ(await_lines("algo-1", 1)[0].text, "hello");
}

TEST_F(LogWriterTest, ShowsAnUnfinishedLineAfterASecond) {
  Pipe pipe;
  ASSERT_TRUE(writer_->add_host("algo-1", std::move(pipe.out)).has_value());
  pipe.print("before\nContinue? ");
  await_lines("algo-1", 1);
  clock_.advance(milliseconds(1500));
  const auto lines = await_lines("algo-1", 2);
  EXPECT_EQ(lines[1].text, "Continue? ");
  EXPECT_TRUE(lines[1].replaced);
}

TEST_F(LogWriterTest, WritesNotesAmongTheLinesOfAHostAndBeforeItIsLaunched) {
  writer_->note("algo-1", "installing requirements\nnumpy");
  Pipe pipe;
  ASSERT_TRUE(writer_->add_host("algo-1", std::move(pipe.out)).has_value());
  pipe.print("line\n");
  await_lines("algo-1", 3);
  writer_->note("algo-1", "done");
  const auto lines = read_all("algo-1");
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[1].text, "numpy");
  EXPECT_TRUE(lines[1].note);
  EXPECT_FALSE(lines[2].note);
  EXPECT_EQ(lines[3].text, "done");
}

TEST_F(LogWriterTest, TakesASecondPipeOfAHostOnceTheFirstHasEnded) {
  Pipe first;
  Pipe early;
  Pipe second;
  ASSERT_TRUE(writer_->add_host("algo-1", std::move(first.out)).has_value());
  EXPECT_EQ(writer_->add_host("algo-1", std::move(early.out)).error().code,
            ErrorCode::kAlreadyExists);
  first.print("one\n");
  first.in.reset();
  ASSERT_TRUE(writer_->drain(kLong).has_value());
  ASSERT_TRUE(writer_->add_host("algo-1", std::move(second.out)).has_value());
  second.print("two\n");
  second.in.reset();
  ASSERT_TRUE(writer_->drain(kLong).has_value());
  EXPECT_EQ(read_all("algo-1").size(), 2u);
}

TEST_F(LogWriterTest, DoesNotHangOnAPipeThatALeftBehindProcessHolds) {
  Pipe pipe;
  ASSERT_TRUE(writer_->add_host("algo-2", std::move(pipe.out)).has_value());
  pipe.print("last words");
  const Status drained = writer_->drain(milliseconds(10));
  EXPECT_EQ(drained.error().code, ErrorCode::kTimedOut);
  EXPECT_NE(drained.error().message.find("algo-2"), std::string::npos);
  const auto lines = read_all("algo-2");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].text, "last words");
  EXPECT_TRUE(lines[1].note);
}

TEST_F(LogWriterTest, StopsAProcessThatPrintsForEverAtTheTimeout) {
  Pipe pipe;
  ASSERT_TRUE(writer_->add_host("algo-1", std::move(pipe.out)).has_value());
  std::signal(SIGPIPE, SIG_IGN);
  std::jthread printer([&] {
    const std::string text = std::string(1 << 16, 'y') + "\n";
    while (::write(pipe.in.get(), text.data(), text.size()) > 0) continue;
  });
  EXPECT_EQ(writer_->drain(milliseconds(20)).error().code, ErrorCode::kTimedOut);
}

TEST_F(LogWriterTest, KeepsWhatWasPrintedWhenItIsDestroyed) {
  Pipe pipe;
  ASSERT_TRUE(writer_->add_host("algo-1", std::move(pipe.out)).has_value());
  pipe.print("a\nb");
  writer_ = nullptr;
  EXPECT_EQ(read_all("algo-1").size(), 2u);
}

TEST_F(LogWriterTest, RefusesWhatCannotBeWatchedOrNamed) {
  Pipe pipe;
  EXPECT_EQ(writer_->add_host("../x", std::move(pipe.out)).error().code,
            ErrorCode::kInvalidArgument);
  const auto path = folder_.path() / "regular";
  std::ofstream(path) << "x";
  os::UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_FALSE(writer_->add_host("algo-1", std::move(file)).has_value());
}

TEST_F(LogWriterTest, KeepsDrainingThePipeWhileTheDiskIsFull) {
  Pipe pipe;
  ASSERT_TRUE(writer_->add_host("algo-1", std::move(pipe.out)).has_value());
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit old{};
  ::getrlimit(RLIMIT_FSIZE, &old);
  const rlimit full{1000, old.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &full);
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += "line " + std::to_string(i) + "\n";
  pipe.print(text);
  pipe.in.reset();
  const Status drained = writer_->drain(kLong);
  ::setrlimit(RLIMIT_FSIZE, &old);
  EXPECT_EQ(drained.error().code, ErrorCode::kNoSpace);
  EXPECT_GT(writer_->lost_lines(), 190'000u);
  const std::uint64_t lost = writer_->lost_lines();
  ASSERT_TRUE(writer_->drain(kLong).has_value());
  const auto lines = read_all("algo-1");
  EXPECT_EQ(lines.size() - 1 + lost, 200'000u);
  EXPECT_TRUE(lines.back().note);
}

// Each host prints numbered lines, some in small writes, some in large ones.
TEST_F(LogWriterTest, LosesAndReordersNothingOfFourHostsAtOnce) {
  constexpr int kHosts = 4;
  constexpr int kLines = 100'000;
  std::vector<std::jthread> printers;
  for (int host = 1; host <= kHosts; ++host) {
    Pipe pipe;
    ASSERT_TRUE(
        writer_->add_host("algo-" + std::to_string(host), std::move(pipe.out)).has_value());
    printers.emplace_back([host, in = std::move(pipe.in)] {
      std::string text;
      for (int i = 0; i < kLines; ++i) {
        text += "host " + std::to_string(host) + " line " + std::to_string(i) + "\n";
        if (i % (host * 7) != 0 && i + 1 < kLines) continue;
        for (std::string_view rest = text; !rest.empty();) {
          const ssize_t n = ::write(in.get(), rest.data(), rest.size());
          rest.remove_prefix(static_cast<std::size_t>(n));
        }
        text.clear();
      }
    });
  }
  printers.clear();
  ASSERT_TRUE(writer_->drain(kLong).has_value());
  EXPECT_EQ(writer_->lost_lines(), 0u);
  for (int host = 1; host <= kHosts; ++host) {
    const auto lines = read_all("algo-" + std::to_string(host));
    ASSERT_EQ(lines.size(), static_cast<std::size_t>(kLines));
    for (int i = 0; i < kLines; ++i)
      ASSERT_EQ(lines[static_cast<std::size_t>(i)].text,
                "host " + std::to_string(host) + " line " + std::to_string(i));
  }
}

}  // namespace
}  // namespace evener::logs
