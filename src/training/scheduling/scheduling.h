// Which waiting job starts now: first in, first out, with backfill; all instances of a job
// together or none. Pure.
//
// Used by:  engine.
// Threads:  pure functions.
// Fails:    never; a job that can never fit is a decision of its own.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "training/jobs/jobs.h"

namespace evener::scheduling {

// What the machine has for jobs, and how instance types map onto it.
struct Cluster {
  double cpus = 1;
  double memory_gib = 1;
  int accelerators = 0;
  int max_running_jobs = 64;        // also under Fit::kShare: a machine has limits
};

struct StartJob {
  std::string job;
};
struct KeepPending {                // and why, in words
  std::string job;
  std::string reason;
};
struct RefuseJob {                  // can never run here (Fit::kStrict)
  std::string job;
  std::string reason;               // ResourceLimitExceeded text
};
using Decision = std::variant<StartJob, KeepPending, RefuseJob>;

// Of the jobs that wait, decisions look at so many, the oldest: what starts does not depend on how
// long the queue is.
inline constexpr std::size_t kWindowJobs = 256;


// As the job's pending reason says, or because it waits behind the window; "" for one that does not
// wait.
std::string reason_to_wait(const jobs::TrainingJob& job);

// `active` holds, in order of creation, every job that holds its share (`launched` is set, it has
// not ended) and the waiting ones that are looked at. One decision per job that is not launched and
// not being stopped.
std::vector<Decision> decide(const std::vector<const jobs::TrainingJob*>& active,
                             const Cluster& cluster);

// Whether the job can never run on the cluster, and why: the text of RefuseJob.
std::optional<std::string> refusal(const jobs::TrainingJob& job, const Cluster& cluster);

}  // namespace evener::scheduling
