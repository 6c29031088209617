// What instances print: capture from pipes into one append file per host with an index, and
// reading back by time, by host and while it grows.
//
// Used by:  backends/local (LogWriter in the supervisor), apps (LogReader), control_plane/logs
//           (LogPages).
// Threads:  a LogWriter has one thread of its own for all hosts of a job; readers are values of
//           one thread and may run in other processes while the writer writes.
// Fails:    kNoSpace or kIo when the file cannot grow: lines are counted as lost and said so in
//           the file once it can; the job goes on.
// Format:   formats/logs.md.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "os/unique_fd.h"

namespace evener::logs {

// A longer line is split; all pieces but the last are marked `continued`.
inline constexpr std::size_t kMaxLineBytes = 256u << 10;
inline constexpr std::size_t kLastWordsBytes = 600;

struct LogLine {
  WallTime time;                // when its first byte arrived; never decreases within a host
  std::string text;             // without the newline; bytes as printed
  bool continued = false;       // the next line of the host continues this one
  bool unterminated = false;    // the program ended or paused without a newline
  bool replaced = false;        // an unfinished line (progress bar, prompt) as it stood: the
                                // host's next line that is no note shows it anew, and whole
  bool note = false;            // a line of Evener's own; stands apart from the lines around it
  bool operator==(const LogLine&) const = default;
};

// Hears what hosts print, a line at a time: whole lines, without notes and states of unfinished
// ones. Called on the threads of the LogWriter and of its callers, one at a time, and never again
// once drain() has returned; what it does slows the capture down.
class LineListener {
 public:
  virtual ~LineListener() = default;
  // `text` is a longer line's first kMaxLineBytes.
  virtual void line(const std::string& host, WallTime time, std::string_view text) = 0;
  // Nothing more was there to read now.
  virtual void rest() = 0;
};

class LogWriter {
 public:
  virtual ~LogWriter() = default;
  // From now on reads `pipe` (stdout and stderr of one host) until its end. A host whose pipe has
  // ended may get another; kAlreadyExists before that. The host's files are there on return.
  virtual Status add_host(const std::string& host, os::UniqueFd pipe) = 0;
  // A line of Evener's own in a host's log, e.g. about requirements.
  virtual void note(const std::string& host, std::string_view text) = 0;
  // Waits until every pipe has ended and all is written, at most `timeout`, then flushes. Pipes
  // that are open even then (a process left behind holds them) are closed with a note in their
  // logs: kTimedOut, naming the hosts. kNoSpace if lines are lost that no record tells of.
  virtual Status drain(std::chrono::milliseconds timeout) = 0;
  virtual std::uint64_t lost_lines() const = 0;
  // The end of what the host's program has printed until now, whole lines, at most kLastWordsBytes;
  // kept even where the log's disk is full.
  virtual std::string last_words(const std::string& host) = 0;
};

// `folder` gets <host>.log and <host>.index. A listener outlives the writer.
Result<std::unique_ptr<LogWriter>> make_log_writer(const std::filesystem::path& folder,
                                                   const Clock& clock,
                                                   LineListener* listener = nullptr);

// Reads one host's log from a position; survives a missing or torn index by scanning.
class LogReader {
 public:
  virtual ~LogReader() = default;
  // The next lines, at most `limit` and about 16 MiB of text; empty at the present end. Calling
  // again later continues.
  virtual Result<std::vector<LogLine>> read(std::size_t limit) = 0;
  // Starts at the first line whose time is not before `since`.
  virtual Status seek(WallTime since) = 0;
};
// kNotFound until the host has printed or been launched.
Result<std::unique_ptr<LogReader>> open_log(const std::filesystem::path& folder,
                                            const std::string& host);

// A line and where it stands in its log, for readers that leave and come back.
struct PlacedLine {
  LogLine line;
  std::uint64_t offset = 0;     // of its first byte
  std::uint64_t end = 0;        // of what follows it
};

struct PageLimit {
  std::size_t lines = 10'000;
  std::size_t bytes = 1u << 20; // of text; the first line of a page comes whatever its length
};

// Pages of one host's log, forwards and backwards from any place between two lines.
class LogPages {
 public:
  virtual ~LogPages() = default;
  // The place of the first line whose time is not before `since`.
  virtual Result<std::uint64_t> place_of(WallTime since) = 0;
  // The place after the last whole line.
  virtual Result<std::uint64_t> end() = 0;
  // Lines from `place` on, and lines before it, both in the order of the log. A number that is no
  // place of this log is kInvalidArgument.
  virtual Result<std::vector<PlacedLine>> after(std::uint64_t place, const PageLimit& limit) = 0;
  virtual Result<std::vector<PlacedLine>> before(std::uint64_t place, const PageLimit& limit) = 0;
};
// As open_log().
Result<std::unique_ptr<LogPages>> open_log_pages(const std::filesystem::path& folder,
                                                 const std::string& host);

// CloudWatch's name: <job>/<host>-<epoch seconds of the job's first launch>.
std::string stream_name(std::string_view job, std::string_view host, WallTime launched);

}  // namespace evener::logs
