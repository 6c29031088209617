#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "training/logs/log_file.h"
#include "training/logs/record_scanner.h"

namespace evener::logs {
namespace {

constexpr std::size_t kMaxHostBytes = 128;

Result<os::UniqueFd> open_file(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (fd < 0) return errno_failure(errno, "open " + path.string());
  return os::UniqueFd(fd);
}

Result<std::uint64_t> size_of(int file) {
  struct stat stat {};
  if (::fstat(file, &stat) != 0) return errno_failure(errno, "stat a log");
  if (!S_ISREG(stat.st_mode)) return failure(ErrorCode::kInvalidArgument, "a log is not a file");
  return static_cast<std::uint64_t>(stat.st_size);
}

}  // namespace

std::filesystem::path log_path(const std::filesystem::path& folder, std::string_view host) {
  return folder / (std::string(host) + ".log");
}

std::filesystem::path index_path(const std::filesystem::path& folder, std::string_view host) {
  return folder / (std::string(host) + ".index");
}

Status check_host_name(std::string_view host) {
  const bool fits = !host.empty() && host.size() <= kMaxHostBytes && host.front() != '.' &&
                    host.find('/') == std::string_view::npos &&
                    host.find('\0') == std::string_view::npos;
  if (fits) return ok();
  return failure(ErrorCode::kInvalidArgument,
                 "'" + std::string(host.substr(0, kMaxHostBytes)) + "' is not a host's name");
}

std::optional<IndexEntry> read_entry(int index, std::uint64_t number) {
  std::array<char, kIndexEntryBytes> bytes{};
  const ssize_t got = ::pread(index, bytes.data(), bytes.size(),
                              static_cast<off_t>(number * kIndexEntryBytes));
  if (got != static_cast<ssize_t>(bytes.size())) return std::nullopt;
  return decode_index_entry(bytes);
}

bool entry_holds(int log, const IndexEntry& entry) {
  constexpr std::uint64_t kMaxOffset = 1ull << 62;
  if (entry.offset > kMaxOffset) return false;
  char bytes[1 + kPrefixBytes];
  bytes[0] = '\n';
  const std::size_t before = entry.offset == 0 ? 0 : 1;  // the newline ahead of the record
  const std::size_t wanted = kPrefixBytes + before;
  const ssize_t got = ::pread(log, bytes + 1 - before, wanted,
                              static_cast<off_t>(entry.offset - before));
  if (got != static_cast<ssize_t>(wanted) || bytes[0] != '\n') return false;
  const auto record = parse_record(std::string_view(bytes + 1, kPrefixBytes));
  return record && record->millis == entry.millis;
}

Result<std::unique_ptr<LogFile>> LogFile::open(const std::filesystem::path& folder,
                                               std::string_view host) {
  RETURN_IF_ERROR(check_host_name(host));
  Result<os::UniqueFd> log = open_file(log_path(folder, host));
  if (!log) return tl::unexpected(log.error());
  Result<os::UniqueFd> index = open_file(index_path(folder, host));
  if (!index) return tl::unexpected(index.error());
  std::unique_ptr<LogFile> file(new LogFile(std::move(*log), std::move(*index)));
  RETURN_IF_ERROR(file->recover());
  return file;
}

// Continues after the last newline of what is there.
Status LogFile::recover() {
  const Result<std::uint64_t> size = size_of(log_.get());
  if (!size) return tl::unexpected(size.error());
  const IndexEntry start = recover_index();
  RecordScanner scanner(log_.get(), start.offset);
  last_millis_ = start.millis;
  while (true) {
    const auto scanned = scanner.next();
    if (!scanned) return tl::unexpected(scanned.error());
    if (!*scanned) break;
    const ScannedRecord& record = **scanned;
    if (record.millis) passed(std::max(*record.millis, last_millis_), record.mark, record.offset);
  }
  size_ = scanner.newline_end();
  if (size_ < *size && ::ftruncate(log_.get(), static_cast<off_t>(size_)) != 0)
    return errno_failure(errno, "cut off the torn end of a log");
  written_tail_ = tail_;
  end_open_line();
  write_index();
  return ok();
}

// Drops entries from the index's end until one holds; answers where to go on from it.
IndexEntry LogFile::recover_index() {
  const Result<std::uint64_t> size = size_of(index_.get());
  std::uint64_t entries = size.value_or(0) / kIndexEntryBytes;
  IndexEntry last;
  while (entries > 0) {
    const auto entry = read_entry(index_.get(), entries - 1);
    if (entry && entry_holds(log_.get(), *entry)) {
      last = *entry;
      next_entry_ = entry->offset + kIndexSpacing;
      break;
    }
    --entries;
  }
  index_size_ = entries * kIndexEntryBytes;
  if (::ftruncate(index_.get(), static_cast<off_t>(index_size_)) != 0) index_size_ = 0;
  return last;
}

}  // namespace evener::logs
