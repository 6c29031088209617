// The bytes of one record and of one index entry (formats/logs.md), and where records go.
//
// Used by:  the files of this module.
// Threads:  values and pure functions.
// Fails:    parse functions answer nothing for bytes that are not a record.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace evener::logs {

enum class Mark : char {
  kLine = ' ',   // a whole line, or the last piece of one
  kPiece = '+',  // the next record that is no note continues this line
  kState = '~',  // an unfinished line as it stands; the next record that is no note replaces it
  kEnd = '$',    // a line that never got its newline
  kNote = '!',   // a line of Evener's own
};

inline constexpr std::size_t kTimeDigits = 13;
inline constexpr std::size_t kPrefixBytes = kTimeDigits + 1;
// The last time that 13 digits can spell (year 2286); later times are written as this one.
inline constexpr std::int64_t kMaxMillis = 9'999'999'999'999;

struct Record {
  std::int64_t millis = 0;
  Mark mark = Mark::kLine;
  std::string_view text;  // of the bytes that were parsed
};

// True for a line that the record leaves open: the next record continues or replaces it.
inline bool leaves_open(Mark mark) { return mark == Mark::kPiece || mark == Mark::kState; }

void append_record(std::string& out, const Record& record);
// `bytes` without the newline.
std::optional<Record> parse_record(std::string_view bytes);

// One entry for about every kIndexSpacing bytes of log, at the start of a record.
inline constexpr std::uint64_t kIndexSpacing = 64u << 10;
inline constexpr std::size_t kIndexEntryBytes = 16;

struct IndexEntry {
  std::int64_t millis = 0;
  std::uint64_t offset = 0;
};

std::array<char, kIndexEntryBytes> encode(const IndexEntry& entry);
IndexEntry decode_index_entry(const std::array<char, kIndexEntryBytes>& bytes);

// Takes records in order.
class RecordSink {
 public:
  virtual ~RecordSink() = default;
  virtual void add(WallTime time, Mark mark, std::string_view text) = 0;
};

}  // namespace evener::logs
