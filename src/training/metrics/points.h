// Points of a job's own metrics, from its log: written while the job runs, read by time. Part of
// metrics.h.
//
// Used by:  backends/local/supervisor (PointWriter), control_plane/cloudwatch (read_points).
// Threads:  values of one thread; readers may read while another process writes.
// Fails:    make_point_writer() with errno's code. A point that cannot be written is counted and
//           the job goes on. Reading: lines that are no points are passed over.
// Format:   formats/metrics.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace evener::metrics {

// The texts belong to whoever made the point.
struct Point {
  WallTime time;
  std::string_view host;
  double value = 0;
  std::string_view metric;
  bool operator==(const Point&) const = default;
};

// The file stays below this; past half of it, of each metric of each host the first value of a
// second is written.
inline constexpr std::uint64_t kMaxPointFileBytes = 32ull << 20;

class PointWriter {
 public:
  virtual ~PointWriter() = default;
  // Times never decrease: an earlier one is written as the last.
  virtual void write(const Point& point) = 0;
  // Hands to the kernel what was written.
  virtual void flush() = 0;
  // Left out since one of its second is there, past half of the limit.
  virtual std::uint64_t thinned() const = 0;
  // Left out since the file is at its limit or the disk is full.
  virtual std::uint64_t lost() const = 0;
};
// Continues a file that is there; the file is made by the first point.
Result<std::unique_ptr<PointWriter>> make_point_writer(
    const std::filesystem::path& file, std::uint64_t limit_bytes = kMaxPointFileBytes);

// With a newline at the end.
std::string to_line(const Point& point);
// `line` without the newline.
std::optional<Point> parse_point(std::string_view line);

struct TimeRange {
  WallTime from;
  WallTime to;          // exclusive
};
enum class Reading { kGoOn, kDone };
// Every point within `range`, in the order of the file; none where there is no file.
void read_points(const std::filesystem::path& file, const TimeRange& range,
                 const std::function<Reading(const Point&)>& take);

}  // namespace evener::metrics
