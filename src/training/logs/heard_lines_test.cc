#include "training/logs/heard_lines.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "os/temporary_folder_test.h"

namespace evener::logs {
namespace {

class Listener final : public LineListener {
 public:
  void line(const std::string& host, WallTime time, std::string_view text) override {
    heard.push_back(host + "@" + std::to_string(to_millis(time)) + " " + std::string(text));
  }
  void rest() override { ++rests; }
  std::vector<std::string> heard;
  int rests = 0;
};

TEST(HeardLines, TellsWholeLinesOnly) {
  const os::TemporaryFolder folder;
  auto file = LogFile::open(folder.path(), "algo-1");
  ASSERT_TRUE(file.has_value());
  Listener listener;
  HeardLines heard("algo-1", **file, listener);
  heard.add(from_millis(1), Mark::kLine, "one");
  heard.add(from_millis(2), Mark::kState, "10%");
  heard.add(from_millis(3), Mark::kPiece, "loss=");
  heard.add(from_millis(4), Mark::kNote, "a note");
  heard.add(from_millis(5), Mark::kPiece, "0.");
  heard.add(from_millis(6), Mark::kLine, "25");
  heard.add(from_millis(7), Mark::kEnd, "bye");
  EXPECT_EQ(listener.heard, (std::vector<std::string>{"algo-1@1 one", "algo-1@3 loss=0.25",
                                                      "algo-1@7 bye"}));
}

TEST(HeardLines, CutsALineWithoutEnd) {
  const os::TemporaryFolder folder;
  auto file = LogFile::open(folder.path(), "algo-1");
  ASSERT_TRUE(file.has_value());
  Listener listener;
  HeardLines heard("algo-1", **file, listener);
  const std::string piece(kMaxLineBytes - 1, 'x');
  for (int i = 0; i < 3; ++i) heard.add(from_millis(1), Mark::kPiece, piece);
  heard.add(from_millis(1), Mark::kLine, "end");
  ASSERT_EQ(listener.heard.size(), 1u);
  EXPECT_EQ(listener.heard[0].size(), std::string("algo-1@1 ").size() + kMaxLineBytes);
}

TEST(HeardLines, AreThoseThatALogWriterReads) {
  const os::TemporaryFolder folder;
  const SystemClock clock;
  Listener listener;
  auto writer = make_log_writer(folder.path(), clock, &listener);
  ASSERT_TRUE(writer.has_value());
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  os::UniqueFd in(ends[1]);
  ASSERT_TRUE((*writer)->add_host("algo-1", os::UniqueFd(ends[0])));
  constexpr std::string_view kPrinted = "loss=1\nloss=2";
  ASSERT_EQ(::write(in.get(), kPrinted.data(), kPrinted.size()),
            static_cast<ssize_t>(kPrinted.size()));
  (*writer)->note("algo-1", "a note");
  in.reset();
  ASSERT_TRUE((*writer)->drain(std::chrono::seconds(60)));
  ASSERT_EQ(listener.heard.size(), 2u);
  EXPECT_TRUE(listener.heard[0].ends_with(" loss=1"));
  EXPECT_TRUE(listener.heard[1].ends_with(" loss=2"));
  EXPECT_GE(listener.rests, 1);
}

}  // namespace
}  // namespace evener::logs
