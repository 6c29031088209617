// What the rules of apply() and the decisions share: which exit made a job fail.
//
// Used by:  apply.cc, outcome.cc.
// Threads:  pure functions.
// Fails:    never.
#pragma once

#include <cstddef>

#include "training/jobs/jobs.h"

namespace evener::jobs {

inline constexpr std::size_t kFailureReasonBytes = 1024;  // the API's limit

// The exit that made the job fail: the earliest failure that is the program's own; among equal
// times the lowest host. Nothing if no host failed. Not a failure of its own:
//   - a host that we stopped,
//   - whatever a host does after a stop was asked for,
//   - an auxiliary host that ends after all primary hosts have succeeded.
const Instance* first_failure(const TrainingJob& job);

}  // namespace evener::jobs
