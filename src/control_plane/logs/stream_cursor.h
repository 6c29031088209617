// The events of one stream, one after another, for who merges many streams: it holds little of each
// and no open file. Private to control_plane/logs.
//
// Used by:  filter_events.cc.
// Threads:  one thread at a time.
// Fails:    with what training/logs says; InvalidParameterException for a place that is none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "control_plane/logs/events.h"

namespace evener::control_plane {

// What each cursor of a merge may hold and walk at once.
struct CursorShare {
  std::size_t events = 0;
  std::size_t bytes = 0;        // of text
  std::size_t walked = 0;       // bytes of lines that are no events
};

// What comes next in a stream. Long walks over what is no event end at one of those lines.
struct NextLine {
  enum class Kind { kEvent, kPassed };
  Kind kind = Kind::kEvent;
  std::int64_t millis = 0;
  std::uint64_t place = 0;
  std::size_t bytes = 0;        // of its text
};

class StreamCursor {
 public:
  // From `place` on, or where that is not known, from the time `from` on; until before `end`.
  struct Start {
    std::optional<std::uint64_t> place{};
    std::int64_t from = 0;
    std::int64_t end = 0;
  };
  StreamCursor(Stream stream, const Start& start, const CursorShare& share)
      : stream_(std::move(stream)), start_(start), share_(share) {}

  // Nothing at the end.
  Result<std::optional<NextLine>> peek();
  // Of the event that peek() told.
  Result<std::string> text();
  void advance() { ++at_; }
  const Stream& stream() const { return stream_; }
  // The bytes of the log that were read since the last call.
  std::uint64_t take_read() { return std::exchange(read_, 0); }

 private:
  struct Held {
    NextLine next;
    std::optional<std::string> text{};   // absent: too long to keep
  };
  Status fill();
  Status find_start(logs::LogPages& pages);

  Stream stream_;
  Start start_;
  CursorShare share_;
  std::vector<Held> held_;
  std::size_t at_ = 0;
  std::uint64_t read_ = 0;
  bool ended_ = false;
};

}  // namespace evener::control_plane
