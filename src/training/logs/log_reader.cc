#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <limits>

#include "training/logs/log_file.h"
#include "training/logs/logs.h"
#include "training/logs/record_scanner.h"

namespace evener::logs {
namespace {

constexpr std::size_t kMaxReadBytes = 16u << 20;

LogLine to_line(const ScannedRecord& record, std::int64_t millis) {
  LogLine line;
  line.time = from_millis(millis);
  line.text = record.text;
  line.continued = record.mark == Mark::kPiece;
  line.replaced = record.mark == Mark::kState;
  line.unterminated = line.replaced || record.mark == Mark::kEnd;
  line.note = record.mark == Mark::kNote;
  return line;
}

class FileLogReader final : public LogReader {
 public:
  FileLogReader(os::UniqueFd log, std::filesystem::path index)
      : log_(std::move(log)), index_(std::move(index)), scanner_(log_.get(), 0) {}

  Result<std::vector<LogLine>> read(std::size_t limit) override {
    std::vector<LogLine> lines;
    std::size_t bytes = 0;
    while (lines.size() < limit && bytes < kMaxReadBytes) {
      const auto scanned = scanner_.next();
      if (!scanned) return tl::unexpected(scanned.error());
      if (!*scanned) break;
      const ScannedRecord& record = **scanned;
      last_millis_ = std::max(last_millis_, record.millis.value_or(last_millis_));
      if (last_millis_ < since_) continue;
      bytes += record.text.size();
      lines.push_back(to_line(record, last_millis_));
    }
    return lines;
  }

  // read() passes over what lies between the index entry and the first line that is wanted.
  Status seek(WallTime since) override {
    since_ = to_millis(since);
    const IndexEntry start = last_entry_before(since_);
    scanner_ = RecordScanner(log_.get(), start.offset);
    last_millis_ = start.millis;
    return ok();
  }

 private:
  // The start of the log where the index is missing or does not hold.
  IndexEntry last_entry_before(std::int64_t millis) const {
    const os::UniqueFd index(::open(index_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    struct stat stat {};
    if (!index || ::fstat(index.get(), &stat) != 0) return {};
    std::uint64_t low = 0;  // entries before `low` are earlier, those from `high` on are not
    std::uint64_t high = static_cast<std::uint64_t>(stat.st_size) / kIndexEntryBytes;
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      const auto entry = read_entry(index.get(), middle);
      if (entry && entry->millis < millis) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low == 0) return {};
    const auto entry = read_entry(index.get(), low - 1);
    return entry && entry->millis < millis && entry_holds(log_.get(), *entry) ? *entry
                                                                              : IndexEntry{};
  }

  os::UniqueFd log_;
  std::filesystem::path index_;
  RecordScanner scanner_;
  std::int64_t last_millis_ = 0;
  std::int64_t since_ = std::numeric_limits<std::int64_t>::min();
};

}  // namespace

Result<std::unique_ptr<LogReader>> open_log(const std::filesystem::path& folder,
                                            const std::string& host) {
  RETURN_IF_ERROR(check_host_name(host));
  const std::filesystem::path path = log_path(folder, host);
  os::UniqueFd log(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!log) return errno_failure(errno, "open " + path.string());
  return std::make_unique<FileLogReader>(std::move(log), index_path(folder, host));
}

}  // namespace evener::logs
