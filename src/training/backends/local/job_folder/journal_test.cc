#include "training/backends/local/job_folder/journal.h"

#include <gtest/gtest.h>

#include <fstream>

#include "os/file_system_faulty.h"
#include "os/file_system_unsynced.h"

namespace evener::backends {
namespace {

jobs::JobEvent event_at(std::uint64_t position, jobs::JobChange change) {
  return {.job = "demo",
          .time = from_millis(1'700'000'000'000 + static_cast<std::int64_t>(position)),
          .journal_position = position,
          .change = std::move(change)};
}

std::vector<jobs::JobEvent> some_events() {
  jobs::InstanceExit exit;
  exit.exit_code = 3;
  exit.failure_text = "line one\nline \xC3\xA4";
  exit.time = from_millis(1'700'000'000'002);
  return {event_at(1, jobs::TrainingStarted{}),
          event_at(2, jobs::InstanceExited{.host = "algo-1", .exit = exit}),
          event_at(3, jobs::Noticed{"something"})};
}

std::string text_of(const std::vector<jobs::JobEvent>& events) {
  std::string text;
  for (const auto& event : events) text += journal_record(jobs::to_json(event));
  return text;
}

class JournalFile : public ::testing::Test {
 protected:
  std::string content() {
    auto text = os::read_text(*files_, kPath);
    return text ? *text : "";
  }
  const std::filesystem::path kPath = "/journal";
  FakeClock clock_{from_millis(0)};
  std::unique_ptr<os::FileSystem> files_ = os::make_memory_file_system(clock_);
};

TEST(Journal, ARecordIsLengthChecksumAndText) {
  // The CRC-32 of "123456789" is known from every description of the algorithm.
  EXPECT_EQ(journal_record("123456789"), "9 cbf43926 123456789\n");
}

TEST(Journal, TheSampleOfTheFormatsPageIsReadAsWritten) {
  std::ifstream page("formats/journal.md");
  ASSERT_TRUE(page) << "run from the project's root";
  std::string line, sample;
  bool inside = false;
  while (std::getline(page, line)) {
    if (line == "```journal") inside = true;
    else if (line == "```") inside = false;
    else if (inside) sample += line + "\n";
  }
  const auto contents = parse_journal(sample);
  ASSERT_TRUE(contents) << contents.error().message;
  EXPECT_FALSE(contents->torn);
  ASSERT_EQ(contents->events.size(), 3u);
  EXPECT_EQ(text_of(contents->events), sample);
}

TEST(Journal, ATornTailAtEveryByteLeavesTheWholeRecordsBeforeIt) {
  const auto events = some_events();
  const std::string text = text_of(events);
  for (std::size_t length = 0; length <= text.size(); ++length) {
    const auto contents = parse_journal(std::string_view(text).substr(0, length));
    ASSERT_TRUE(contents) << "cut at " << length << ": " << contents.error().message;
    std::size_t whole = 0;
    for (std::size_t end = 0; (end = text.find('\n', end)) < length; ++end) ++whole;
    EXPECT_EQ(contents->events.size(), whole) << "cut at " << length;
    EXPECT_EQ(contents->torn, length != contents->whole_bytes);
  }
}

TEST(Journal, ADamagedByteBeforeAWholeRecordIsCorruptAndAtTheEndIsATornTail) {
  const auto events = some_events();
  const std::string text = text_of(events);
  const std::size_t last = text.rfind('\n', text.size() - 2) + 1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string damaged = text;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x20);
    const auto contents = parse_journal(damaged);
    // Without the newline between them the last two records are one bad line at the end.
    const std::size_t whole = i == last - 1 ? 1 : 2;
    if (i < last - 1) {
      ASSERT_FALSE(contents) << "byte " << i;
      EXPECT_EQ(contents.error().code, ErrorCode::kCorrupt);
    } else {
      ASSERT_TRUE(contents) << "byte " << i << ": " << contents.error().message;
      EXPECT_EQ(contents->events.size(), whole);
    }
  }
}

TEST(Journal, ZerosBehindTheLastRecordAreATornTail) {
  const auto contents = parse_journal(text_of(some_events()) + std::string(4096, '\0') + "\n\n");
  ASSERT_TRUE(contents);
  EXPECT_TRUE(contents->torn);
  EXPECT_EQ(contents->events.size(), 3u);
}

TEST(Journal, APositionOutOfOrderIsCorrupt) {
  auto events = some_events();
  events[1].journal_position = 7;
  const auto contents = parse_journal(text_of(events));
  ASSERT_FALSE(contents);
  EXPECT_EQ(contents.error().code, ErrorCode::kCorrupt);
  EXPECT_NE(contents.error().message.find("record 2"), std::string::npos);
}

TEST_F(JournalFile, AnAbsentFileIsAnEmptyJournal) {
  const auto contents = read_journal(*files_, kPath);
  ASSERT_TRUE(contents);
  EXPECT_TRUE(contents->events.empty());
}

TEST_F(JournalFile, TheNextWriterCutsATornTailOffAndContinues) {
  const auto events = some_events();
  const std::string text = text_of(events);
  ASSERT_TRUE(os::write_text(*files_, kPath, text + "53 00"));
  auto writer = JournalWriter::open(*files_, kPath);
  ASSERT_TRUE(writer) << writer.error().message;
  EXPECT_EQ((*writer)->earlier().size(), 3u);
  const std::string next = jobs::to_json(event_at(4, jobs::UploadingStarted{}));
  (*writer)->append(next, JournalSync::kNow);
  EXPECT_TRUE((*writer)->everything_written());
  EXPECT_EQ(content(), text + journal_record(next));
}

TEST_F(JournalFile, WhateverCallFailsNothingIsLostOnceTheDiskTakesItAgain) {
  const auto events = some_events();
  for (std::uint64_t fail_at = 1; fail_at < 100; ++fail_at) {
    files_ = os::make_memory_file_system(clock_);
    os::FaultyFileSystem faulty(
        *files_, {.fail_at = fail_at, .error = {ErrorCode::kNoSpace, "disk full"}});
    auto writer = JournalWriter::open(faulty, kPath);
    if (!writer) continue;
    for (const auto& event : events) (*writer)->append(jobs::to_json(event), JournalSync::kNow);
    EXPECT_TRUE((*writer)->flush()) << "call " << fail_at << ": " << (*writer)->trouble();
    EXPECT_EQ(content(), text_of(events)) << "call " << fail_at;
    if (faulty.calls() < fail_at) return;   // nothing failed any more
  }
  FAIL() << "more calls than expected";
}

// Events 1, 3, 5, ... matter; power is lost after each event in turn, with any part of what was
// not synced on the disk.
TEST_F(JournalFile, ALossOfPowerLosesNothingThatWasSynced) {
  std::vector<std::string> records;
  for (std::uint64_t n = 1; n <= 6; ++n)
    records.push_back(jobs::to_json(event_at(n, jobs::Noticed{"notice " + std::to_string(n)})));
  for (std::size_t count = 1; count <= records.size(); ++count) {
    for (std::uint64_t torn = 0; torn <= records[0].size() * 2; ++torn) {
      files_ = os::make_memory_file_system(clock_);
      os::UnsyncedFileSystem disk(*files_);
      auto writer = JournalWriter::open(disk, kPath);
      ASSERT_TRUE(writer);
      for (std::size_t i = 0; i < count; ++i)
        (*writer)->append(records[i], i % 2 == 0 ? JournalSync::kNow : JournalSync::kLater);
      ASSERT_TRUE(disk.lose_power(torn));
      auto next = JournalWriter::open(*files_, kPath);
      ASSERT_TRUE(next) << next.error().message;
      const std::size_t kept = (*next)->earlier().size();
      EXPECT_GE(kept, count % 2 == 1 ? count : count - 1) << count << " events, " << torn;
      ASSERT_LE(kept, count);
      for (std::size_t i = kept; i < count; ++i) (*next)->append(records[i], JournalSync::kNow);
      EXPECT_EQ(read_journal(*files_, kPath)->events.size(), count);
    }
  }
}

// As Linux does: what could not be written is dropped, and the next sync succeeds.
TEST_F(JournalFile, WhatAFailedSyncDroppedIsWrittenAgain) {
  const auto events = some_events();
  for (std::uint64_t fail_at = 1; fail_at < 100; ++fail_at) {
    files_ = os::make_memory_file_system(clock_);
    ASSERT_TRUE(os::write_text(*files_, kPath, ""));
    os::UnsyncedFileSystem disk(*files_);
    os::FaultyFileSystem faulty(disk, {.fail_at = fail_at, .error = {ErrorCode::kIo, "bad disk"}});
    auto writer = JournalWriter::open(faulty, kPath);
    if (!writer) continue;
    for (const auto& event : events) {
      (*writer)->append(jobs::to_json(event), JournalSync::kNow);
      if (!(*writer)->everything_written()) {
        ASSERT_TRUE(disk.lose_power());
      }
    }
    EXPECT_TRUE((*writer)->flush()) << (*writer)->trouble();
    EXPECT_EQ(content(), text_of(events)) << "call " << fail_at;
    if (faulty.calls() < fail_at) return;
  }
  FAIL() << "more calls than expected";
}

TEST_F(JournalFile, AFullDiskKeepsEventsInMemoryUntilThereIsRoom) {
  const auto events = some_events();
  os::FaultyFileSystem faulty(*files_, {.fail_at = 4, .fail_once = false,
                                        .error = {ErrorCode::kNoSpace, "disk full"}});
  auto writer = JournalWriter::open(faulty, kPath);
  ASSERT_TRUE(writer);
  for (const auto& event : events) (*writer)->append(jobs::to_json(event), JournalSync::kNow);
  EXPECT_FALSE((*writer)->flush());
  EXPECT_FALSE((*writer)->everything_written());
  EXPECT_EQ((*writer)->trouble(), "disk full");
  // What did get through is whole, whatever was torn after it.
  const auto contents = read_journal(*files_, kPath);
  ASSERT_TRUE(contents);
  EXPECT_LT(contents->events.size(), events.size());
}

}  // namespace
}  // namespace evener::backends
