// The status words of SageMaker's API, spelled as there. Part of jobs/jobs.h.
//
// Used by:  every module of training, by way of jobs/jobs.h.
// Threads:  pure functions.
// Fails:    ..._from() answers nothing for a word that is no status.
#pragma once

#include <optional>
#include <string_view>

namespace evener::jobs {

enum class JobStatus { kInProgress, kCompleted, kFailed, kStopping, kStopped, kDeleting };

enum class SecondaryStatus {
  kPending,
  kStarting,
  kDownloading,
  kTraining,
  kInterrupted,
  kUploading,
  kCompleted,
  kFailed,
  kMaxRuntimeExceeded,
  kMaxWaitTimeExceeded,
  kStopped,
  kStopping,
  kUpdating,
  kRestarting,
};

std::string_view to_string(JobStatus status);              // "InProgress", ...
std::string_view to_string(SecondaryStatus status);        // "Downloading", ...
std::optional<JobStatus> job_status_from(std::string_view text);
std::optional<SecondaryStatus> secondary_status_from(std::string_view text);

}  // namespace evener::jobs
