#include "training/logs/line_splitter.h"

#include <gtest/gtest.h>

#include "base/ids.h"
#include "training/logs/logs.h"

namespace evener::logs {
namespace {

struct Taken {
  std::int64_t millis;
  Mark mark;
  std::string text;
  bool operator==(const Taken&) const = default;
};

class Recorder final : public RecordSink {
 public:
  void add(WallTime time, Mark mark, std::string_view text) override {
    taken.push_back({to_millis(time), mark, std::string(text)});
  }
  std::vector<std::pair<char, std::string>> marked() const {
    std::vector<std::pair<char, std::string>> all;
    for (const Taken& record : taken) all.emplace_back(static_cast<char>(record.mark), record.text);
    return all;
  }
  std::vector<Taken> taken;
};

using Marked = std::vector<std::pair<char, std::string>>;

Moment at(std::int64_t millis) {
  return {from_millis(millis), MonotonicTime(std::chrono::milliseconds(millis))};
}

Marked split(const std::vector<std::string>& chunks) {
  LineSplitter splitter;
  Recorder records;
  for (const std::string& chunk : chunks) splitter.push(chunk, at(1), records);
  splitter.finish(records);
  return records.marked();
}

TEST(LineSplitter, MakesARecordOfEachLineAndMarksTheOneWithoutNewline) {
  EXPECT_EQ(split({"one\ntwo\n\nlast"}),
            (Marked{{' ', "one"}, {' ', "two"}, {' ', ""}, {'$', "last"}}));
  EXPECT_EQ(split({""}), Marked{});
  EXPECT_EQ(split({"o", "ne\nt", "wo\n"}), (Marked{{' ', "one"}, {' ', "two"}}));
}

TEST(LineSplitter, StampsALineWithTheArrivalOfItsFirstByte) {
  LineSplitter splitter;
  Recorder records;
  splitter.push("a", at(10), records);
  splitter.push("b\nc\n", at(20), records);
  splitter.push("\n", at(30), records);
  EXPECT_EQ(records.taken, (std::vector<Taken>{{10, Mark::kLine, "ab"},
                                               {20, Mark::kLine, "c"},
                                               {30, Mark::kLine, ""}}));
}

TEST(LineSplitter, KeepsTheLastStateOfALineThatCarriageReturnsOverwrite) {
  EXPECT_EQ(split({"10%\r20%\r30%\n"}), (Marked{{' ', "30%"}}));
  EXPECT_EQ(split({"\r10%\r20%", "\r30%\r\n"}), (Marked{{' ', "30%"}}));
  EXPECT_EQ(split({"dos\r\nline\r\n"}), (Marked{{' ', "dos"}, {' ', "line"}}));
  EXPECT_EQ(split({"dos\r", "\nline\r", "\r\n\r\n"}),
            (Marked{{' ', "dos"}, {' ', "line"}, {' ', ""}}));
  EXPECT_EQ(split({"10%\r20%\r"}), (Marked{{'$', "20%"}}));
}

TEST(LineSplitter, MakesOneRecordOfAHundredThousandUpdatesOfAProgressBar) {
  LineSplitter splitter;
  Recorder records;
  for (int i = 0; i <= 100'000; ++i)
    splitter.push("\r" + std::to_string(i) + "/100000", at(5), records);
  splitter.push("\n", at(6), records);
  EXPECT_EQ(records.marked(), (Marked{{' ', "100000/100000"}}));
}

TEST(LineSplitter, ShowsTheStateOfAProgressBarAtMostOnceASecond) {
  LineSplitter splitter;
  Recorder records;
  for (std::int64_t ms = 0; ms <= 3000; ms += 10) {
    splitter.push("\r" + std::to_string(ms), at(ms), records);
    splitter.tick(at(ms), records);
  }
  splitter.push("\n", at(3001), records);
  EXPECT_EQ(records.marked(),
            (Marked{{'~', "1000"}, {'~', "2010"}, {' ', "3000"}}));
  EXPECT_EQ(records.taken[0].millis, 1000);
}

TEST(LineSplitter, ShowsAPausedLineOnceAndThenWhole) {
  LineSplitter splitter;
  Recorder records;
  splitter.push("Downloading...", at(0), records);
  EXPECT_TRUE(splitter.hidden());
  splitter.tick(at(999), records);
  EXPECT_EQ(records.marked(), Marked{});
  splitter.tick(at(1000), records);
  splitter.tick(at(5000), records);
  EXPECT_FALSE(splitter.hidden());
  splitter.push(" done\n", at(6000), records);
  EXPECT_EQ(records.marked(), (Marked{{'~', "Downloading..."}, {' ', "Downloading... done"}}));
}

TEST(LineSplitter, ShowsALongPausedLineAsAPieceThatIsNotRepeated) {
  LineSplitter splitter;
  Recorder records;
  const std::string dots(kMaxStateBytes + 1, '.');
  splitter.push(dots, at(0), records);
  splitter.tick(at(1000), records);
  splitter.push("end\n", at(1001), records);
  EXPECT_EQ(records.marked(), (Marked{{'+', dots}, {' ', "end"}}));
}

TEST(LineSplitter, EndsALineWhosePieceCameLast) {
  LineSplitter splitter;
  Recorder records;
  splitter.push(std::string(kMaxStateBytes + 1, '.'), at(0), records);
  splitter.tick(at(1000), records);
  splitter.finish(records);
  EXPECT_EQ(records.taken.back().mark, Mark::kEnd);
  EXPECT_EQ(records.taken.back().text, "");
}

TEST(LineSplitter, SplitsALineOfAMegabyteIntoMarkedPieces) {
  const std::string line(1'000'000, 'x');
  const Marked records = split({line + "\n"});
  ASSERT_EQ(records.size(), 4u);
  std::string joined;
  for (std::size_t i = 0; i < records.size(); ++i) {
    EXPECT_EQ(records[i].first, i + 1 < records.size() ? '+' : ' ');
    EXPECT_LE(records[i].second.size(), kMaxLineBytes);
    joined += records[i].second;
  }
  EXPECT_EQ(joined, line);
}

TEST(LineSplitter, DoesNotSplitALineOfExactlyTheLimit) {
  const std::string line(kMaxLineBytes, 'x');
  EXPECT_EQ(split({line + "\n"}), (Marked{{' ', line}}));
  EXPECT_EQ(split({line, "\n"}), (Marked{{' ', line}}));
  EXPECT_EQ(split({line, "y\n"}), (Marked{{'+', line}, {' ', "y"}}));
}

TEST(LineSplitter, KeepsNulAndInvalidUtf8AsTheyAre) {
  const std::string raw("a\0b\xff\xc0\xaf\xed\xa0\x80", 9);
  EXPECT_EQ(split({raw + "\n"}), (Marked{{' ', raw}}));
}

// What LineSplitter should do, byte by byte and without regard to speed.
Marked reference(std::string_view bytes) {
  Marked records;
  std::string line;
  bool overwrite = false;
  bool open = false;
  for (const char c : bytes) {
    if (c == '\n') {
      records.emplace_back(' ', line);
      line.clear();
      overwrite = open = false;
    } else if (c == '\r') {
      overwrite = true;
    } else {
      if (overwrite) line.clear();
      overwrite = false;
      if (line.size() == kMaxLineBytes) {
        records.emplace_back('+', line);
        line.clear();
        open = true;
      }
      line += c;
    }
  }
  if (!line.empty() || open) records.emplace_back('$', line);
  return records;
}

std::string random_bytes(SeededRandom& random) {
  std::string bytes;
  const std::uint64_t parts = random.below(60);
  for (std::uint64_t i = 0; i < parts; ++i) {
    switch (random.below(6)) {
      case 0: bytes += '\n'; break;
      case 1: bytes += '\r'; break;
      case 2: bytes += "\r\n"; break;
      case 3: bytes.append(random.below(20), static_cast<char>(random.below(256))); break;
      case 4:
        if (random.below(400) == 0) bytes.append(kMaxLineBytes - 2 + random.below(5), 'z');
        break;
      default:
        for (std::uint64_t n = random.below(30); n > 0; --n)
          bytes += static_cast<char>(random.below(256));
    }
  }
  return bytes;
}

TEST(LineSplitter, EqualsASimpleReferenceOnRandomBytesCutAnywhere) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SeededRandom random(seed);
    const std::string bytes = random_bytes(random);
    std::vector<std::string> chunks;
    const std::uint64_t longest = 1 + random.below(random.below(2) == 0 ? 8 : 100'000);
    for (std::size_t start = 0; start < bytes.size();) {
      const std::size_t length = 1 + random.below(longest);
      chunks.push_back(bytes.substr(start, length));
      start += length;
    }
    ASSERT_TRUE(split(chunks) == reference(bytes));
  }
}

TEST(LineSplitter, LosesNothingWhenStatesAreShownAtRandomTimes) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SeededRandom random(seed);
    std::string printed;
    LineSplitter splitter;
    Recorder records;
    std::int64_t now = 0;
    for (int i = 0; i < 40; ++i) {
      std::string bytes;
      for (std::uint64_t n = random.below(20); n > 0; --n)
        bytes += random.below(8) == 0 ? '\n' : static_cast<char>('a' + random.below(26));
      printed += bytes;
      splitter.push(bytes, at(now), records);
      now += static_cast<std::int64_t>(random.below(1500));
      splitter.tick(at(now), records);
    }
    splitter.finish(records);
    Marked kept;
    for (const auto& record : records.marked())
      if (record.first != '~') kept.push_back(record);
    ASSERT_EQ(kept, reference(printed));
  }
}

}  // namespace
}  // namespace evener::logs
