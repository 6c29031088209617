#include "training/metrics/line_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace evener::metrics {
namespace {

constexpr std::uint64_t kTailBytes = 64u << 10;   // no line is as long
constexpr std::size_t kReadBytes = 256u << 10;
constexpr std::uint64_t kNearBytes = 64u << 10;   // closer than this, reading on is as quick
constexpr std::size_t kProbeBytes = 4u << 10;     // holds the start of a line and that line

// What stands in the file at `offset`, at most `buffer`'s size.
std::string_view read_at(int file, std::uint64_t offset, std::string& buffer) {
  ssize_t got = 0;
  do {
    got = ::pread(file, buffer.data(), buffer.size(), static_cast<off_t>(offset));
  } while (got < 0 && errno == EINTR);
  return std::string_view(buffer).substr(0, static_cast<std::size_t>(got > 0 ? got : 0));
}

bool has_room(int file, std::uint64_t bytes) {
  struct statvfs disk {};
  if (::fstatvfs(file, &disk) != 0 || disk.f_blocks == 0) return true;   // it does not tell
  return std::uint64_t{disk.f_bavail} * disk.f_frsize >= kRoomForEvents + bytes;
}

// Where the next line goes: after the last whole one.
std::uint64_t end_of_lines(int file, std::uint64_t size) {
  const std::uint64_t start = size > kTailBytes ? size - kTailBytes : 0;
  std::string buffer(size - start, '\0');
  const std::string_view tail = read_at(file, start, buffer);
  const std::size_t newline = tail.rfind('\n');
  return newline == std::string_view::npos ? start : start + newline + 1;
}

std::uint64_t size_of(int file) {
  struct stat stat {};
  return ::fstat(file, &stat) == 0 ? static_cast<std::uint64_t>(stat.st_size) : 0;
}

struct Probe {
  std::uint64_t start = 0;
  std::int64_t millis = 0;
};
// The first line that begins after `offset` and has a time.
std::optional<Probe> probe(int file, std::uint64_t offset, LineTime time_of) {
  std::string buffer(kProbeBytes, '\0');
  const std::string_view bytes = read_at(file, offset, buffer);
  std::size_t start = bytes.find('\n');
  while (start != std::string_view::npos) {
    const std::size_t end = bytes.find('\n', ++start);
    if (end == std::string_view::npos) return std::nullopt;
    if (const auto millis = time_of(bytes.substr(start, end - start)))
      return Probe{offset + start, *millis};
    start = end;
  }
  return std::nullopt;
}

}  // namespace

Result<LineFile> LineFile::open(const std::filesystem::path& file) {
  os::UniqueFd fd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!fd) return errno_failure(errno, "open " + file.string());
  const std::uint64_t size = size_of(fd.get());
  const std::uint64_t end = size == 0 ? 0 : end_of_lines(fd.get(), size);
  if (end < size && ::ftruncate(fd.get(), static_cast<off_t>(end)) != 0)
    return errno_failure(errno, "cut off the torn end of " + file.string());
  return LineFile(std::move(fd), end);
}

// What a full disk cut short is written over by the next.
LineFile::Appended LineFile::append(std::string_view lines) {
  if (!has_room(file_.get(), lines.size())) return Appended::kNothing;
  ssize_t written = 0;
  do {
    written = ::pwrite(file_.get(), lines.data(), lines.size(), static_cast<off_t>(size_));
  } while (written < 0 && errno == EINTR);
  if (written != static_cast<ssize_t>(lines.size())) return Appended::kNothing;
  size_ += lines.size();
  return Appended::kWhole;
}

std::uint64_t place_of(int file, std::int64_t millis, LineTime time_of) {
  std::uint64_t low = 0;
  std::uint64_t high = size_of(file);
  while (high - low > kNearBytes) {
    const std::uint64_t middle = low + (high - low) / 2;
    const auto found = probe(file, middle, time_of);
    if (found && found->millis < millis)
      low = found->start;
    else
      high = middle;
  }
  return low;
}

void read_lines(int file, std::uint64_t offset, const std::function<Reading(std::string_view)>& line) {
  std::string buffer(kReadBytes, '\0');
  while (true) {
    const std::string_view bytes = read_at(file, offset, buffer);
    std::string_view rest = bytes;
    for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
      if (line(rest.substr(0, end)) == Reading::kDone) return;
      rest.remove_prefix(end + 1);
    }
    const std::size_t taken = rest.size() == kReadBytes ? rest.size() : bytes.size() - rest.size();
    offset += taken;
    if (taken == 0) return;
  }
}

}  // namespace evener::metrics
