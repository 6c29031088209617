// Lines of a log as events. Private to control_plane/logs.
//
// Used by:  control_plane/logs.
// Threads:  values; one thread at a time.
// Fails:    with what training/logs says.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "control_plane/logs/streams.h"
#include "training/logs/logs.h"

namespace evener::control_plane {

// What the service counts for an event besides its text.
inline constexpr std::size_t kEventBytes = 26;

struct TimeRange {
  std::int64_t start = 0;                                    // inclusive, milliseconds
  std::int64_t end = std::numeric_limits<std::int64_t>::max();   // exclusive
  bool holds(std::int64_t millis) const { return millis >= start && millis < end; }
};

// An empty line is no event, as the service takes none. An unfinished line is one only when nothing
// can follow it: `last` says that it ends the log of a job that has ended.
enum class Place { kWithin, kLast };
bool is_event(const logs::LogLine& line, Place place);

// A silent host has a stream whose log is not there yet: it is empty.
Result<std::unique_ptr<logs::LogPages>> open_pages(const Stream& stream);

// A line that was looked at.
struct PassedLine {
  WallTime time{};
  std::uint64_t place = 0;      // of its first byte
};
struct EventPage {
  std::vector<logs::PlacedLine> events{};
  std::uint64_t begin = 0;      // before the first event
  std::uint64_t end = 0;        // after the last
  std::optional<PassedLine> cut{};   // where PageQuery::walked ended the page; more may follow
};
inline constexpr std::size_t kWalkedBytes = 16u << 20;
struct PageQuery {
  TimeRange times{};
  std::size_t events = kLogPageEvents;
  std::size_t bytes = kLogPageBytes;
  std::size_t walked = kWalkedBytes;   // of lines that are no event of the page
};
// The events from `place` on, or those before it.
Result<EventPage> page_after(logs::LogPages& pages, const Stream& stream, std::uint64_t place,
                             const PageQuery& query);
Result<EventPage> page_before(logs::LogPages& pages, const Stream& stream, std::uint64_t place,
                              const PageQuery& query);

}  // namespace evener::control_plane
