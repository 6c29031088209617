// What is new of one job since a place that the reader remembers: events, log lines, samples. The
// place is a value, so that a reader in another program or on another machine can keep it.
//
// Used by:  apps (train, jobs logs), control_plane/evener (FollowJob).
// Threads:  a JobReader belongs to one; the rest is values and pure functions.
// Fails:    read() with the store's error or a log's; a log that does not exist yet is none. kInvalidArgument
//           for a place that is none of this job's, kCorrupt from the documents' readers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/document.h"
#include "training/jobs/jobs.h"
#include "training/logs/logs.h"
#include "training/metrics/metrics.h"
#include "training/store/store.h"

namespace evener::following {

struct HostLine {
  std::string host;
  std::string group;
  logs::LogLine line;
};

struct JobUpdate {
  std::vector<jobs::JobEvent> events{};
  std::vector<HostLine> lines{};          // by host, in order within a host
  metrics::Live live{};
  bool empty() const {
    return events.empty() && lines.empty() && live.samples.empty() && live.progress.empty();
  }
};

struct Position {
  std::int64_t row = 0;                          // of the job's last event that was seen
  std::map<std::string, std::uint64_t> logs{};   // by host: bytes of its log
  std::uint64_t samples = 0;                     // bytes of the file of samples
  bool operator==(const Position&) const = default;
};

struct JobFiles {
  std::filesystem::path logs;             // folder
  std::filesystem::path samples;
};

// Of one read().
struct ReadLimit {
  std::size_t events = 4096;
  std::size_t lines = 20'000;             // of each host
  std::size_t line_bytes = 16u << 20;     // of all hosts; one line of each comes in any case
  std::size_t samples = SIZE_MAX;         // about; what is read at once comes whole
};

class JobReader {
 public:
  // `store` outlives the reader.
  JobReader(store::Store& store, std::string job, JobFiles files, Position position);

  // Events come first: a line that was written before the end is read before an empty update says
  // that nothing is left. A line that was unfinished for a while comes once where it is read at
  // once, and else as it stood, too.
  Result<JobUpdate> read(const ReadLimit& limit = {});
  const Position& position() const { return position_; }

 private:
  Status read_events(const ReadLimit& limit, JobUpdate& update);
  Status read_hosts();
  Status read_lines(const ReadLimit& limit, JobUpdate& update);

  struct Host {
    std::string name;
    std::string group;
    std::unique_ptr<logs::LogPages> pages{};   // once the log exists
  };

  store::Store& store_;
  const std::string job_;
  const JobFiles files_;
  Position position_;
  bool hosts_known_ = false;
  std::vector<Host> hosts_;
  metrics::SampleReader samples_;
};

// ---- as documents; what a line has that is no UTF-8 is replaced ---------------------------

document::Value document_of(const JobUpdate& update);
Result<JobUpdate> update_from(const document::Value& value);
document::Value document_of(const Position& position);
Result<Position> position_from(const document::Value& value);

}  // namespace evener::following
