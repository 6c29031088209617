#include <fcntl.h>

#include <cerrno>
#include <limits>

#include "training/logs/index_search.h"
#include "training/logs/log_file.h"
#include "training/logs/logs.h"
#include "training/logs/record_scanner.h"
#include "training/logs/scanned_line.h"

namespace evener::logs {
namespace {

constexpr std::size_t kMaxReadBytes = 16u << 20;

class FileLogReader final : public LogReader {
 public:
  FileLogReader(os::UniqueFd log, std::filesystem::path index)
      : log_(std::move(log)), index_(log_.get(), std::move(index)), scanner_(log_.get(), 0) {}

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
    const IndexEntry start = index_.last_before_time(since_);
    scanner_ = RecordScanner(log_.get(), start.offset);
    last_millis_ = start.millis;
    return ok();
  }

 private:
  os::UniqueFd log_;
  IndexSearch index_;
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
