#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>

#include "training/logs/index_search.h"
#include "training/logs/log_file.h"
#include "training/logs/logs.h"
#include "training/logs/record_scanner.h"
#include "training/logs/scanned_line.h"

namespace evener::logs {
namespace {

class FileLogPages final : public LogPages {
 public:
  FileLogPages(os::UniqueFd log, std::filesystem::path index)
      : log_(std::move(log)), index_(log_.get(), std::move(index)) {}

  Result<std::uint64_t> place_of(WallTime since) override {
    const std::int64_t wanted = to_millis(since);
    const IndexEntry start = index_.last_before_time(wanted);
    Scan scan(log_.get(), start);
    std::uint64_t place = start.offset;
    while (true) {
      const auto line = scan.next();
      if (!line) return tl::unexpected<Error>(line.error());
      if (!*line || to_millis((*line)->line.time) >= wanted) return place;
      place = (*line)->end;
    }
  }

  Result<std::uint64_t> end() override {
    struct stat stat {};
    if (::fstat(log_.get(), &stat) != 0) return errno_failure(errno, "look at a log");
    Scan scan(log_.get(), index_.last_before_offset(static_cast<std::uint64_t>(stat.st_size)));
    while (true) {
      const auto line = scan.next();
      if (!line) return tl::unexpected<Error>(line.error());
      if (!*line) return scan.place();
    }
  }

  Result<std::vector<PlacedLine>> after(std::uint64_t place, const PageLimit& limit) override {
    RETURN_IF_ERROR(check(place));
    std::vector<PlacedLine> lines;
    struct stat stat {};   // who follows asks often, and mostly nothing has come
    if (::fstat(log_.get(), &stat) == 0 && static_cast<std::uint64_t>(stat.st_size) <= place)
      return lines;
    Scan scan(log_.get(), index_.last_before_offset(place + 1));
    std::size_t bytes = 0;
    while (lines.size() < limit.lines) {
      auto line = scan.next();
      if (!line) return tl::unexpected<Error>(line.error());
      if (!*line) break;
      if ((*line)->offset < place) continue;
      bytes += (*line)->line.text.size();
      if (!lines.empty() && bytes > limit.bytes) break;
      lines.push_back(std::move(**line));
    }
    return lines;
  }

  // From one index entry to the next, the last first, until there are enough.
  Result<std::vector<PlacedLine>> before(std::uint64_t place, const PageLimit& limit) override {
    RETURN_IF_ERROR(check(place));
    std::deque<PlacedLine> lines;
    std::size_t bytes = 0;
    std::uint64_t end = place;
    while (end > 0) {
      const IndexEntry start = index_.last_before_offset(end);
      auto run = lines_between(start, end);
      if (!run) return run;
      for (auto line = run->rbegin(); line != run->rend(); ++line) {
        bytes += line->line.text.size();
        const bool full = lines.size() == limit.lines || (!lines.empty() && bytes > limit.bytes);
        if (full) return std::vector<PlacedLine>(std::make_move_iterator(lines.begin()),
                                                 std::make_move_iterator(lines.end()));
        lines.push_front(std::move(*line));
      }
      end = start.offset;
    }
    return std::vector<PlacedLine>(std::make_move_iterator(lines.begin()),
                                   std::make_move_iterator(lines.end()));
  }

 private:
  // Lines with their times and places, one after another.
  class Scan {
   public:
    Scan(int log, const IndexEntry& start)
        : scanner_(log, start.offset), place_(start.offset), millis_(start.millis) {}

    // Damage that is too long for a line is passed over: no place follows it.
    Result<std::optional<PlacedLine>> next() {
      while (true) {
        const auto scanned = scanner_.next();
        if (!scanned) return tl::unexpected<Error>(scanned.error());
        if (!*scanned) return std::nullopt;
        if (scanner_.newline_end() == place_) continue;
        millis_ = std::max(millis_, (*scanned)->millis.value_or(millis_));
        place_ = scanner_.newline_end();
        return PlacedLine{to_line(**scanned, millis_), (*scanned)->offset, place_};
      }
    }
    std::uint64_t place() const { return place_; }

   private:
    RecordScanner scanner_;
    std::uint64_t place_;
    std::int64_t millis_;
  };

  Result<std::vector<PlacedLine>> lines_between(const IndexEntry& start, std::uint64_t end) {
    Scan scan(log_.get(), start);
    std::vector<PlacedLine> lines;
    while (true) {
      auto line = scan.next();
      if (!line) return tl::unexpected<Error>(line.error());
      if (!*line || (*line)->offset >= end) return lines;
      lines.push_back(std::move(**line));
    }
  }

  // A place is the start of the log or follows a newline.
  Status check(std::uint64_t place) const {
    char last = 0;
    if (place == 0) return ok();
    if (place < INT64_MAX && ::pread(log_.get(), &last, 1, static_cast<off_t>(place - 1)) == 1 &&
        last == '\n')
      return ok();
    return failure(ErrorCode::kInvalidArgument,
                   std::to_string(place) + " is no place between two lines of the log");
  }

  os::UniqueFd log_;
  IndexSearch index_;
};

}  // namespace

Result<std::unique_ptr<LogPages>> open_log_pages(const std::filesystem::path& folder,
                                                 const std::string& host) {
  RETURN_IF_ERROR(check_host_name(host));
  const std::filesystem::path path = log_path(folder, host);
  os::UniqueFd log(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!log) return errno_failure(errno, "open " + path.string());
  return std::make_unique<FileLogPages>(std::move(log), index_path(folder, host));
}

}  // namespace evener::logs
