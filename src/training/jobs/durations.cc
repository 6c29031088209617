#include <algorithm>
#include <chrono>

#include "training/jobs/jobs.h"

namespace evener::jobs {
namespace {

double seconds(WallTime from, WallTime to) {
  return std::max(0.0, std::chrono::duration<double>(to - from).count());
}

double* phase_of(PhaseSeconds& phases, SecondaryStatus status) {
  switch (status) {
    case SecondaryStatus::kPending:
      return &phases.pending;
    case SecondaryStatus::kStarting:
    case SecondaryStatus::kRestarting:
      return &phases.starting;
    case SecondaryStatus::kDownloading:
      return &phases.downloading;
    case SecondaryStatus::kTraining:
    case SecondaryStatus::kUpdating:
      return &phases.training;
    case SecondaryStatus::kStopping:
      return &phases.stopping;
    case SecondaryStatus::kUploading:
      return &phases.uploading;
    case SecondaryStatus::kInterrupted:
    case SecondaryStatus::kCompleted:
    case SecondaryStatus::kFailed:
    case SecondaryStatus::kMaxRuntimeExceeded:
    case SecondaryStatus::kMaxWaitTimeExceeded:
    case SecondaryStatus::kStopped:
      break;
  }
  return nullptr;
}

}  // namespace

PhaseSeconds phase_seconds(const TrainingJob& job, WallTime now) {
  PhaseSeconds phases;
  for (const Transition& transition : job.transitions)
    if (double* phase = phase_of(phases, transition.status))
      *phase += seconds(transition.start, transition.end.value_or(now));
  if (!job.transitions.empty())
    phases.total = seconds(job.created, job.transitions.back().end.value_or(now));
  return phases;
}

std::optional<std::int64_t> billable_seconds(const TrainingJob& job) {
  if (!job.training_start || !job.training_end) return std::nullopt;
  const auto whole =
      std::chrono::ceil<std::chrono::seconds>(*job.training_end - *job.training_start).count();
  return std::max<std::int64_t>(1, whole);
}

}  // namespace evener::jobs
