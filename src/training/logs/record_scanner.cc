#include "training/logs/record_scanner.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "training/logs/logs.h"

namespace evener::logs {
namespace {
constexpr std::size_t kReadBytes = 256u << 10;
// Longer runs without a newline are damage (such as zeros after a power cut), not a record.
constexpr std::size_t kMaxRecordBytes = kPrefixBytes + kMaxLineBytes;
}  // namespace

Result<std::optional<ScannedRecord>> RecordScanner::next() {
  while (true) {
    const std::size_t end = buffer_.find('\n', searched_);
    const bool damaged = end == std::string::npos && buffer_.size() - position_ > kMaxRecordBytes;
    if (end != std::string::npos || damaged) {
      const std::size_t stop = damaged ? position_ + kMaxRecordBytes : end;
      const std::string_view bytes = std::string_view(buffer_).substr(position_, stop - position_);
      ScannedRecord scanned{.offset = base_ + position_, .millis = std::nullopt, .mark = Mark::kLine,
                            .text = bytes};
      if (const auto record = damaged ? std::nullopt : parse_record(bytes)) {
        scanned.millis = record->millis;
        scanned.mark = record->mark;
        scanned.text = record->text;
      }
      position_ = searched_ = damaged ? stop : stop + 1;
      if (!damaged) newline_end_ = base_ + position_;
      return scanned;
    }
    searched_ = buffer_.size();
    const Result<bool> filled = fill();
    if (!filled) return tl::unexpected(filled.error());
    if (!*filled) return std::nullopt;
  }
}

// False at the present end.
Result<bool> RecordScanner::fill() {
  buffer_.erase(0, position_);
  base_ += position_;
  searched_ -= position_;
  position_ = 0;
  const std::size_t kept = buffer_.size();
  buffer_.resize(kept + kReadBytes);
  ssize_t got = 0;
  do {
    got = ::pread(file_, buffer_.data() + kept, kReadBytes, static_cast<off_t>(base_ + kept));
  } while (got < 0 && errno == EINTR);
  const int error = errno;
  buffer_.resize(kept + static_cast<std::size_t>(got > 0 ? got : 0));
  if (got < 0) return errno_failure(error, "read a log");
  return got > 0;
}

}  // namespace evener::logs
