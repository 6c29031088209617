// Reads the records of a log file one after another, from any record's start, while it grows.
//
// Used by:  log_reader.cc, log_file.cc (repair after a crash).
// Threads:  a value of one thread. The descriptor stays the caller's.
// Fails:    with the code of errno. Bytes that are no record are answered as lines without a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "training/logs/record.h"

namespace evener::logs {

struct ScannedRecord {
  std::uint64_t offset = 0;
  std::optional<std::int64_t> millis;  // nothing where the bytes are no record
  Mark mark = Mark::kLine;
  std::string_view text;               // valid until the next call
};

class RecordScanner {
 public:
  RecordScanner(int file, std::uint64_t offset)
      : file_(file), base_(offset), newline_end_(offset) {}
  // Nothing at the present end; what follows the last newline waits for its own.
  Result<std::optional<ScannedRecord>> next();
  // Just after the last newline that next() has passed.
  std::uint64_t newline_end() const { return newline_end_; }

 private:
  Result<bool> fill();

  int file_;
  std::uint64_t base_;          // offset of buffer_[0]
  std::uint64_t newline_end_;
  std::string buffer_;
  std::size_t position_ = 0;    // of the next record in buffer_
  std::size_t searched_ = 0;    // buffer_ up to here holds no newline after position_
};

}  // namespace evener::logs
