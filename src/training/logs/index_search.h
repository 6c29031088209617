// Where to start reading a log: the nearest entry of its index. Private to logs.
//
// Used by:  log_reader.cc, log_pages.cc.
// Threads:  a value of one thread. The log's descriptor stays the caller's.
// Fails:    never: without an index, or where an entry does not hold, at the start of the log.
#pragma once

#include <cstdint>
#include <filesystem>

#include "training/logs/record.h"

namespace evener::logs {

class IndexSearch {
 public:
  IndexSearch(int log, std::filesystem::path index) : log_(log), index_(std::move(index)) {}
  // The last entry with an earlier time, with a smaller offset.
  IndexEntry last_before_time(std::int64_t millis) const;
  IndexEntry last_before_offset(std::uint64_t offset) const;

 private:
  template <class Earlier>
  IndexEntry last(const Earlier& earlier) const;

  int log_;
  std::filesystem::path index_;
};

}  // namespace evener::logs
