// Cuts one stream of bytes into records: lines, pieces of long lines, states of unfinished ones.
//
// Used by:  log_writer.cc.
// Threads:  a value of one thread; time comes in as an argument.
// Fails:    never; every byte is kept but newlines and what a carriage return overwrites.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "training/logs/record.h"

namespace evener::logs {

// An unfinished line is shown after this time, and again at most this often.
inline constexpr std::chrono::milliseconds kStateInterval{1000};
// A longer unfinished line is shown as a piece instead, so that showing it again and again costs
// no more than this each time.
inline constexpr std::size_t kMaxStateBytes = 4096;

struct Moment {
  WallTime wall;
  MonotonicTime monotonic;
};

class LineSplitter {
 public:
  // Gives `sink` what `bytes` complete. The result does not depend on how a stream is cut into
  // calls, but for times.
  void push(std::string_view bytes, Moment now, RecordSink& sink);
  // Shows the unfinished line if it has waited for kStateInterval.
  void tick(Moment now, RecordSink& sink);
  // The stream has ended: an unfinished line is written as kEnd.
  void finish(RecordSink& sink);
  // True while an unfinished line has bytes that no record shows.
  bool hidden() const { return hidden_; }

 private:
  void push_tail(std::string_view tail, Moment now, RecordSink& sink);
  void push_text(std::string_view text, Moment now, RecordSink& sink);
  void end_line(Mark mark, WallTime now, RecordSink& sink);

  std::string line_;             // of the unfinished line, what is not yet written as a piece
  WallTime line_time_;           // when the first byte of line_ arrived
  bool open_ = false;            // the last record was a piece or a state of this line
  bool overwrite_ = false;       // a carriage return came last: the next byte starts line_ anew
  bool hidden_ = false;
  MonotonicTime hidden_since_;
};

}  // namespace evener::logs
