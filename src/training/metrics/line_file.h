// Files of lines that one process appends to and others read meanwhile: both ends of them.
//
// Used by:  sample_writer.cc, point_writer.cc, reading.cc.
// Threads:  values of one thread.
// Fails:    open() with errno's code. append() answers whether the file took it all; what it did
//           not take as a whole is not there. As for lines of logs, kRoomForEvents of the disk
//           stay free.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "os/unique_fd.h"
#include "training/metrics/points.h"

namespace evener::metrics {

// What becomes of a job must still be written when its samples and points have filled the disk.
inline constexpr std::uint64_t kRoomForEvents = 256u << 10;

class LineFile {
 public:
  // Creates the file or continues it: a line without its end, as a crash leaves it, is cut off.
  static Result<LineFile> open(const std::filesystem::path& file);

  enum class Appended { kWhole, kNothing };
  // One or more whole lines.
  Appended append(std::string_view lines);
  std::uint64_t size() const { return size_; }

 private:
  LineFile(os::UniqueFd file, std::uint64_t size) : file_(std::move(file)), size_(size) {}

  os::UniqueFd file_;
  std::uint64_t size_;
};

// The time of a line in milliseconds; nothing for what is no line of the format.
using LineTime = std::optional<std::int64_t> (*)(std::string_view line);

// The start of a line, where all lines before it are earlier than `millis`; the lines' times must
// not decrease.
std::uint64_t place_of(int file, std::int64_t millis, LineTime time_of);

// Every whole line from `offset`, the start of one, to the file's present end. Longer lines than
// any format has are passed over.
void read_lines(int file, std::uint64_t offset, const std::function<Reading(std::string_view)>& line);

}  // namespace evener::metrics
