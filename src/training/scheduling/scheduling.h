// Which waiting job starts now: first in, first out, with backfill; all instances of a job
// together or none. Pure.
//
// Used by:  engine.
// Threads:  pure functions.
// Fails:    never; a job that can never fit is a decision of its own.
#pragma once

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

// `active` holds every job that has not ended, in order of creation; those with `launched` set
// hold their share. One decision per job that is not launched and not being stopped.
std::vector<Decision> decide(const std::vector<const jobs::TrainingJob*>& active,
                             const Cluster& cluster);

}  // namespace evener::scheduling
