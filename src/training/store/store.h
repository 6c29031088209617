// The jobs of one home on disk: an append-only table of events (the truth) and a projection for
// queries, in one SQLite file. commit() is the only door.
//
// Used by:  engine (all events), apps (Submitted, StopRequested, Deleted; views).
// Threads:  one Store per thread; any number of processes may open the same file.
// Fails:    kAlreadyExists for a used name; kNotFound for an unknown job; kNoSpace or kIo when an
//           event could not be made durable (nothing is changed then); kUnavailable when another
//           process kept the file locked too long; kCorrupt when stored text is not ours.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "training/jobs/jobs.h"

namespace evener::store {

struct ListFilter {
  std::optional<jobs::JobStatus> status;
  std::string name_contains;
  bool newest_first = true;
  std::size_t limit = 1000;
};

// An event as stored; `row` grows over the whole home and never repeats.
struct StoredEvent {
  std::int64_t row = 0;
  jobs::JobEvent event;
};

class Store {
 public:
  virtual ~Store() = default;

  // Applies each event to its job and makes all of them durable in one transaction. An event
  // that its job's state does not allow is refused by itself and named in the answer: the others
  // are committed. Answers one Status per event, in order; fails as a whole only when nothing was
  // committed.
  virtual Result<std::vector<Status>> commit(std::span<const jobs::JobEvent> events) = 0;

  // The job as of the last committed event of any process; kNotFound after Deleted.
  virtual Result<jobs::TrainingJob> find(const std::string& name) = 0;
  virtual Result<std::vector<jobs::TrainingJob>> list(const ListFilter& filter) = 0;
  // A page of summaries, read from an index of the sort value; no job is decoded.
  virtual Result<jobs::JobPage> page(const jobs::JobQuery& query) = 0;
  // Jobs that have not ended, in order of creation.
  virtual Result<std::vector<jobs::TrainingJob>> active() = 0;
  // Events after `row`, of all processes, in order: how an engine sees what others committed.
  virtual Result<std::vector<StoredEvent>> events_after(std::int64_t row, std::size_t limit) = 0;
  // Of the last job of that name (kNotFound if there was none), or, after a row, of all that had it.
  virtual Result<std::vector<StoredEvent>> events_of(const std::string& job, std::int64_t row,
                                                     std::size_t limit) = 0;
  virtual Result<std::int64_t> last_row() = 0;
};

inline constexpr std::size_t kAllEvents = SIZE_MAX;   // as a limit

// Whether an answer of commit() survives a loss of power, or only the end of the process.
enum class Synchronous { kFull, kOff };

struct StoreOptions {
  std::filesystem::path home;
  Synchronous synchronous = Synchronous::kFull;
};

// Opens or creates <home>/evener.db and brings its schema up to date. A newer schema than this
// program knows is kUnsupported; a home that cannot be written is kPermissionDenied.
Result<std::unique_ptr<Store>> open_store(const StoreOptions& options);
Result<std::unique_ptr<Store>> open_store(const std::filesystem::path& home);

// What any process has committed since one looked last, without reading the events themselves.
struct ChangedJob {
  std::int64_t row = 0;         // of the event
  std::string job;
};
class ChangeFeed {
 public:
  virtual ~ChangeFeed() = default;
  // Another number whenever a commit has come since the last call, whoever made it.
  virtual Result<std::int64_t> version() = 0;
  virtual Result<std::int64_t> last_row() = 0;
  virtual Result<std::vector<ChangedJob>> after(std::int64_t row, std::size_t limit) = 0;
};
// Of a home that has a store; one thread.
Result<std::unique_ptr<ChangeFeed>> open_change_feed(const std::filesystem::path& home);

// Rebuilds every projection by replaying events and compares; the answer names differences.
Result<std::vector<std::string>> verify(Store& store);

}  // namespace evener::store
