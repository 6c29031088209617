#include "training/logs/log_file.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <system_error>

namespace evener::logs {
namespace {

struct Written {
  std::size_t bytes = 0;
  int error = 0;  // 0: all of them
};

Written write_at(int file, std::uint64_t offset, std::string_view bytes) {
  Written written;
  while (written.bytes < bytes.size()) {
    const ssize_t n = ::pwrite(file, bytes.data() + written.bytes, bytes.size() - written.bytes,
                               static_cast<off_t>(offset + written.bytes));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      written.error = n < 0 ? errno : EIO;
      break;
    }
    written.bytes += static_cast<std::size_t>(n);
  }
  return written;
}

// Best effort: what cannot be cut off is written over, or cut off when the log is opened again.
void cut(int file, std::uint64_t size) {
  while (::ftruncate(file, static_cast<off_t>(size)) != 0 && errno == EINTR) continue;
}

// How much may be written when `reserve` of the disk is to stay free.
std::uint64_t room_beside(int file, std::uint64_t reserve) {
  struct statvfs disk {};
  if (::fstatvfs(file, &disk) != 0 || disk.f_blocks == 0) return UINT64_MAX;   // it does not tell
  const std::uint64_t free = std::uint64_t{disk.f_bavail} * disk.f_frsize;
  return free - std::min(free, reserve);
}

}  // namespace

void LogFile::add(WallTime time, Mark mark, std::string_view text) {
  const std::int64_t millis = std::clamp(to_millis(time), last_millis_, kMaxMillis);
  passed(millis, mark, size_ + buffer_.size());
  append_record(buffer_, {millis, mark, text});
  if (buffer_.size() >= kWriteBytes) flush();
}

// Keeps track of a record at `offset`.
void LogFile::passed(std::int64_t millis, Mark mark, std::uint64_t offset) {
  last_millis_ = millis;
  if (mark != Mark::kNote) tail_ = {offset, mark};
  if (offset >= next_entry_) {
    entries_.push_back({millis, offset});
    next_entry_ = offset + kIndexSpacing;
  }
}

void LogFile::flush() {
  if (unsaid_ > 0 && !write_owed_note()) {
    keep_whole_records(0, ENOSPC);
    return;
  }
  if (buffer_.empty()) return;
  const std::string_view fits =
      std::string_view(buffer_).substr(0, room_beside(log_.get(), kRoomForEvents));
  Written written = write_at(log_.get(), size_, fits);
  if (written.error == 0 && fits.size() < buffer_.size()) written.error = ENOSPC;
  if (written.error != 0) {
    keep_whole_records(written.bytes, written.error);
  } else {
    size_ += buffer_.size();
    buffer_.clear();
    written_tail_ = tail_;
  }
  write_index();
}

// Writes how many lines were lost, ahead of buffer_, whose records move by the note's length.
bool LogFile::write_owed_note() {
  std::string note;
  append_record(note, {unsaid_millis_, Mark::kNote,
                       "evener: " + std::to_string(unsaid_) + " lines of output were lost here: " +
                           unsaid_reason_});
  if (room_beside(log_.get(), 2 * kRoomForEvents) < note.size()) return false;
  if (write_at(log_.get(), size_, note).error != 0) {
    cut(log_.get(), size_);
    return false;
  }
  for (IndexEntry& entry : entries_) entry.offset += note.size();
  if (tail_.offset >= size_) tail_.offset += note.size();
  next_entry_ += note.size();
  size_ += note.size();
  unsaid_ = 0;
  return true;
}

// After a failed write: of buffer_, the whole records among the first `written` bytes stay in the
// file; the others are lost.
void LogFile::keep_whole_records(std::size_t written, int error) {
  std::size_t kept = 0;
  std::uint64_t lost = 0;
  for (std::size_t start = 0; start < buffer_.size();) {
    const std::size_t end = buffer_.find('\n', start);
    const auto mark = static_cast<Mark>(buffer_[start + kTimeDigits]);
    if (end < written) {
      kept = end + 1;
      if (mark != Mark::kNote) written_tail_ = {size_ + start, mark};
    } else if (mark != Mark::kState) {
      ++lost;
    }
    start = end + 1;
  }
  size_ += kept;
  cut(log_.get(), size_);
  buffer_.clear();
  std::erase_if(entries_, [&](const IndexEntry& entry) { return entry.offset >= size_; });
  next_entry_ = size_;
  if (unsaid_ == 0 && lost > 0) unsaid_reason_ = std::generic_category().message(error);
  unsaid_millis_ = last_millis_;
  unsaid_ += lost;
  lost_ += lost;
  tail_ = written_tail_;
  end_open_line();
}

// What would have continued or replaced the last record is lost. Overwrites its mark in place.
void LogFile::end_open_line() {
  if (!leaves_open(tail_.mark)) return;
  const char mark = static_cast<char>(Mark::kEnd);
  write_at(log_.get(), tail_.offset + kTimeDigits, std::string_view(&mark, 1));
  tail_.mark = written_tail_.mark = Mark::kEnd;
}

// An index that lacks entries is still right, so failures are not counted.
void LogFile::write_index() {
  std::string bytes;
  for (const IndexEntry& entry : entries_) {
    const auto encoded = encode(entry);
    bytes.append(encoded.data(), encoded.size());
  }
  entries_.clear();
  if (bytes.empty()) return;
  const Written written = write_at(index_.get(), index_size_, bytes);
  index_size_ += written.bytes / kIndexEntryBytes * kIndexEntryBytes;
  if (written.error != 0) cut(index_.get(), index_size_);
}

}  // namespace evener::logs
