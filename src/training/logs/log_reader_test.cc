#include <gtest/gtest.h>

#include <fstream>

#include "base/ids.h"
#include "os/temporary_folder_test.h"
#include "training/logs/log_file.h"
#include "training/logs/logs.h"

namespace evener::logs {
namespace {

class LogReaderTest : public testing::Test {
 protected:
  std::unique_ptr<LogFile> writer() {
    auto file = LogFile::open(folder_.path(), "algo-1");
    EXPECT_TRUE(file.has_value());
    return std::move(*file);
  }
  std::unique_ptr<LogReader> reader() {
    auto opened = open_log(folder_.path(), "algo-1");
    EXPECT_TRUE(opened.has_value());
    return std::move(*opened);
  }
  std::vector<LogLine> rest(LogReader& from) {
    std::vector<LogLine> all;
    while (true) {
      const auto lines = from.read(777);
      EXPECT_TRUE(lines.has_value());
      if (!lines || lines->empty()) return all;
      all.insert(all.end(), lines->begin(), lines->end());
    }
  }
  // Lines of random lengths, many with the same time.
  void write_random_log(std::uint64_t seed, int lines) {
    SeededRandom random(seed);
    auto file = writer();
    std::int64_t millis = 1'000'000;
    for (int i = 0; i < lines; ++i) {
      if (random.below(4) == 0) millis += static_cast<std::int64_t>(random.below(50));
      file->add(from_millis(millis), Mark::kLine,
                std::to_string(i) + std::string(random.below(400), '.'));
    }
    file->flush();
  }

  os::TemporaryFolder folder_;
};

TEST_F(LogReaderTest, SaysWhenThereIsNoLogYet) {
  EXPECT_EQ(open_log(folder_.path(), "algo-1").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(open_log(folder_.path(), "../etc").error().code, ErrorCode::kInvalidArgument);
}

TEST_F(LogReaderTest, TellsTheMarks) {
  auto file = writer();
  file->add(from_millis(1), Mark::kPiece, "p");
  file->add(from_millis(2), Mark::kLine, "l");
  file->add(from_millis(3), Mark::kState, "s");
  file->add(from_millis(4), Mark::kEnd, "e");
  file->add(from_millis(5), Mark::kNote, "n");
  file->flush();
  auto from = reader();
  const std::vector<LogLine> lines = rest(*from);
  using L = LogLine;
  EXPECT_EQ(lines,
            (std::vector<L>{
                L{.time = from_millis(1), .text = "p", .continued = true},
                L{.time = from_millis(2), .text = "l"},
                L{.time = from_millis(3), .text = "s", .unterminated = true, .replaced = true},
                L{.time = from_millis(4), .text = "e", .unterminated = true},
                L{.time = from_millis(5), .text = "n", .note = true}}));
}

TEST_F(LogReaderTest, FollowsALogThatGrowsEvenByHalfRecords) {
  auto from_file = writer();
  auto from = reader();
  EXPECT_TRUE(rest(*from).empty());
  const std::string bytes = "0000000001000 one\n0000000001001 two\n";
  std::vector<std::string> texts;
  for (const char byte : bytes) {
    std::ofstream(folder_.path() / "algo-1.log", std::ios::app | std::ios::binary) << byte;
    for (const LogLine& line : rest(*from)) texts.push_back(line.text);
  }
  EXPECT_EQ(texts, (std::vector<std::string>{"one", "two"}));
}

TEST_F(LogReaderTest, GivesAtMostTheLimit) {
  write_random_log(1, 10);
  auto from = reader();
  EXPECT_EQ(from->read(3)->size(), 3u);
  EXPECT_EQ(from->read(0)->size(), 0u);
  EXPECT_EQ(from->read(100)->size(), 7u);
  EXPECT_EQ(from->read(100)->size(), 0u);
}

TEST_F(LogReaderTest, SeekEqualsAScanOfAllLines) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::filesystem::remove(folder_.path() / "algo-1.log");
    std::filesystem::remove(folder_.path() / "algo-1.index");
    write_random_log(seed, 4000);
    auto scan = reader();
    const std::vector<LogLine> all = rest(*scan);
    ASSERT_EQ(all.size(), 4000u);
    SeededRandom random(seed);
    const std::int64_t first = to_millis(all.front().time);
    const auto span = static_cast<std::uint64_t>(to_millis(all.back().time) - first);
    auto sought = reader();
    for (int i = 0; i < 40; ++i) {
      const WallTime since =
          i % 2 == 0 ? all[random.below(all.size())].time
                     : from_millis(first - 5 + static_cast<std::int64_t>(random.below(span + 10)));
      ASSERT_TRUE(sought->seek(since).has_value());
      const auto line = sought->read(1);
      std::size_t wanted = 0;
      while (wanted < all.size() && all[wanted].time < since) ++wanted;
      if (wanted == all.size()) {
        ASSERT_TRUE(line->empty());
      } else {
        ASSERT_EQ(line->at(0), all[wanted]);
      }
    }
  }
}

TEST_F(LogReaderTest, SeeksWithoutAnIndexAndWithAWrongOne) {
  write_random_log(3, 4000);
  auto from = reader();
  const std::vector<LogLine> all = rest(*from);
  const WallTime since = all[3000].time;
  ASSERT_TRUE(from->seek(since).has_value());
  const std::vector<LogLine> right = rest(*from);
  const auto index = folder_.path() / "algo-1.index";
  const std::size_t size = std::filesystem::file_size(index);
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SeededRandom random(seed);
    std::string bytes(seed == 0 ? 0 : size + random.below(20), '\0');
    for (char& byte : bytes)
      byte = random.below(3) == 0 ? static_cast<char>(random.next()) : '\0';
    std::ofstream(index, std::ios::binary) << bytes;
    ASSERT_TRUE(from->seek(since).has_value());
    ASSERT_EQ(rest(*from), right) << "seed " << seed;
  }
  std::filesystem::remove(index);
  ASSERT_TRUE(from->seek(since).has_value());
  EXPECT_EQ(rest(*from), right);
}

TEST_F(LogReaderTest, WaitsForLinesAfterATimeThatIsStillToCome) {
  auto file = writer();
  file->add(from_millis(1000), Mark::kLine, "early");
  file->flush();
  auto from = reader();
  ASSERT_TRUE(from->seek(from_millis(2000)).has_value());
  EXPECT_TRUE(rest(*from).empty());
  file->add(from_millis(1999), Mark::kLine, "still early");
  file->add(from_millis(2000), Mark::kLine, "due");
  file->flush();
  const std::vector<LogLine> lines = rest(*from);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].text, "due");
}

TEST_F(LogReaderTest, ShowsDamagedBytesAsALine) {
  std::ofstream(folder_.path() / "algo-1.log", std::ios::binary)
      << "0000000001000 good\nnot a record\n" << std::string(600'000, '\0')
      << "\n0000000001001 good again\n";
  auto from = reader();
  const std::vector<LogLine> lines = rest(*from);
  ASSERT_GE(lines.size(), 4u);
  EXPECT_EQ(lines[1].text, "not a record");
  EXPECT_EQ(lines[1].time, from_millis(1000));
  EXPECT_EQ(lines.back().text, "good again");
}

}  // namespace
}  // namespace evener::logs
