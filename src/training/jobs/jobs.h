// A training job as pure data: what was asked, what happened, and the rules between.
//
// Used by:  every module of training; apps for views.
// Threads:  values and pure functions.
// Fails:    apply() with kInvalidArgument on an event that the job's state does not allow;
//           the codecs with kCorrupt on text that they did not write.
// Source:   SageMaker's API model (statuses, secondary statuses, transitions).
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "training/jobs/query.h"
#include "training/jobs/spec.h"
#include "training/jobs/status.h"

namespace evener::jobs {

// ---- what happened ---------------------------------------------------------------------

enum class StopCause { kUser, kMaxRuntime, kEngineLost };
std::string_view to_string(StopCause cause);       // "User", "MaxRuntime", "EngineLost"
std::optional<StopCause> stop_cause_from(std::string_view text);

struct Submitted {          // the first event of every job
  JobSpec spec;
  std::string arn{};
};
struct PendingReasonChanged {  // why it is not started yet, in words; "" when it is no more pending
  std::string reason{};
};
struct Launching {          // the backend was told to start; instances are being made
  std::vector<InstancePlacement> instances{};  // natural order: algo-1, algo-2, ...
};
struct StatusMessageChanged {  // same secondary status, new text
  std::string message{};
};
struct StagingStarted {};   // instances exist; input is being brought (Downloading)
struct ChannelsStaged {     // per channel what came where
  std::vector<ChannelReport> channels{};
};
struct TrainingStarted {};  // the user's program runs on every host (Training)
struct InstanceExited {
  std::string host;
  InstanceExit exit{};
};
struct StopRequested {
  StopCause cause = StopCause::kUser;
  bool at_once = false;     // without the grace period
};
struct UploadingStarted {}; // every instance has ended; output is packed (Uploading)
struct ArtifactsStored {
  ArtifactReport artifacts{};
};
struct UsageReported {      // totals of the whole run, once, before Ended
  std::vector<InstanceUsage> instances{};
};
struct Noticed {            // something the user should read; the job goes on
  std::string notice{};
};
struct MetricsReported {    // the last value of every metric that the job's log told
  std::vector<MetricValue> metrics{};
};
struct TagsChanged {        // also after the end
  std::map<std::string, std::string> set{};
  std::vector<std::string> removed{};
};
struct Updated {            // members of an UpdateTrainingJob, which Describe shows from then on
  std::string members_json{};
};
struct Ended {              // the last event but TagsChanged, Updated and Deleted
  JobStatus status = JobStatus::kCompleted;           // Completed, Failed or Stopped
  SecondaryStatus secondary = SecondaryStatus::kCompleted;
  std::string failure_reason{};                       // "Class: text", at most 1024 bytes
};
struct Deleted {};

using JobChange =
    std::variant<Submitted, PendingReasonChanged, Launching, StatusMessageChanged, StagingStarted,
                 ChannelsStaged, TrainingStarted, InstanceExited, StopRequested, UploadingStarted,
                 ArtifactsStored, UsageReported, Noticed, Ended, Deleted, MetricsReported, TagsChanged,
                 Updated>;
std::string_view kind_of(const JobChange& change);  // the type's name: "Submitted", ...

struct JobEvent {
  std::string job;                  // name as given; names are unique without regard to case
  WallTime time{};
  // Position in the supervisor's journal, counted from 1; 0 for events born elsewhere. The
  // same position is applied once, so that a journal can be imported again after a crash.
  std::uint64_t journal_position = 0;
  JobChange change;
};

inline constexpr std::size_t kMostTags = 50;           // of one job, as the service allows
inline constexpr std::size_t kMostFinalMetrics = 40;

// ---- what is -----------------------------------------------------------------------------

struct Transition {
  SecondaryStatus status = SecondaryStatus::kStarting;
  WallTime start{};
  std::optional<WallTime> end{};
  std::string message{};
};

struct TrainingJob {
  JobSpec spec;
  std::string arn{};
  JobStatus status = JobStatus::kInProgress;
  SecondaryStatus secondary = SecondaryStatus::kStarting;
  std::vector<Transition> transitions{};    // never empty; the last one is current
  WallTime created{};
  WallTime last_modified{};
  std::optional<WallTime> launched{};       // the backend was told to start
  std::optional<WallTime> training_start{}; // billing starts: instances exist
  std::optional<WallTime> training_end{};   // billing ends
  std::string pending_reason{};
  std::string failure_reason{};
  std::optional<StopRequested> stop{};
  std::vector<Instance> instances{};        // natural order
  std::vector<ChannelReport> channels{};
  ArtifactReport artifacts{};
  std::vector<InstanceUsage> usage{};
  std::vector<MetricValue> final_metrics{};
  std::vector<std::string> notices{};
  std::uint64_t imported_position = 0;      // highest journal_position applied
  bool deleted = false;

  bool ended() const;                       // Completed, Failed or Stopped
};

// The job that `event` (a Submitted) creates.
Result<TrainingJob> create(const JobEvent& event);

// Changes `job` by `event`, or refuses and leaves it as it was. An event whose
// journal_position is not above imported_position is accepted and changes nothing. Times never
// run backwards within a job: a time before the last one counts as the last one. A change of tags
// leaves last_modified as it is. Requests that come too late (StopRequested, Updated, Deleted) are
// refused in AWS's words.
Status apply(TrainingJob& job, const JobEvent& event);

// Where the job's hosts are: as launched, else as they will be.
std::vector<InstancePlacement> placements_of(const TrainingJob& job);
// The group of one of its hosts.
const InstanceGroup& group_of(const JobSpec& spec, const InstancePlacement& placement);
// The same by the host's name; aborts on a host that the job does not have.
const InstanceGroup& group_of(const TrainingJob& job, std::string_view host);

// ---- decisions within one job ---------------------------------------------------------

// What the supervisor must do now that some instances have ended.
enum class EndingDecision {
  kKeepRunning,
  kStopRest,       // stop what still runs: a host failed, or all primary groups have ended
  kCollect,        // nothing runs any more
};
EndingDecision decide_ending(const TrainingJob& job);

// The final event of a job whose instances have all ended (or that never had any), from exits
// and stop cause: all 0 => Completed; SIGTERM exits of auxiliary groups stopped by us count as
// success; the first failure (by time) gives host, group, exit code and failure text.
Ended decide_outcome(const TrainingJob& job);

// Seconds per phase in order: starting, downloading, training, uploading; plus stopping where
// there was one. A phase that never began is 0. `now` closes a phase that still runs.
struct PhaseSeconds {
  double starting = 0;
  double downloading = 0;
  double training = 0;
  double stopping = 0;
  double uploading = 0;
  double total = 0;
  double pending = 0;               // waiting for capacity, before starting
};
PhaseSeconds phase_seconds(const TrainingJob& job, WallTime now);

// Whole seconds from training_start to training_end, at least 1 once both exist; per instance.
std::optional<std::int64_t> billable_seconds(const TrainingJob& job);

JobSummary summary_of(const TrainingJob& job);

// ---- codecs (JSON text; stable between versions) -----------------------------------------

std::string to_json(const JobEvent& event);
Result<JobEvent> event_from_json(std::string_view text);
std::string to_json(const JobSpec& spec);
Result<JobSpec> spec_from_json(std::string_view text);
std::string to_json(const TrainingJob& job);
Result<TrainingJob> job_from_json(std::string_view text);

}  // namespace evener::jobs
