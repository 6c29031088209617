// A scanned record as a line. Private to logs.
//
// Used by:  log_reader.cc, log_pages.cc.
// Threads:  pure.
// Fails:    never.
#pragma once

#include "training/logs/logs.h"
#include "training/logs/record_scanner.h"

namespace evener::logs {

inline LogLine to_line(const ScannedRecord& record, std::int64_t millis) {
  LogLine line;
  line.time = from_millis(millis);
  line.text = record.text;
  line.continued = record.mark == Mark::kPiece;
  line.replaced = record.mark == Mark::kState;
  line.unterminated = line.replaced || record.mark == Mark::kEnd;
  line.note = record.mark == Mark::kNote;
  return line;
}

}  // namespace evener::logs
