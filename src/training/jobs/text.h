// Pieces that the rules and the decisions share. Private to jobs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "training/jobs/jobs.h"

namespace evener::jobs {

inline constexpr std::size_t kFailureReasonBytes = 1024;  // the API's limit

// At most `limit` bytes of `text`, cut between two UTF-8 characters.
std::string cut_utf8(std::string_view text, std::size_t limit);

// The exit that made the job fail: the earliest failure that is the program's own; among equal
// times the lowest host. Nothing if no host failed. Not a failure of its own:
//   - a host that we stopped,
//   - whatever a host does after a stop was asked for,
//   - an auxiliary host that ends after all primary hosts have succeeded.
const Instance* first_failure(const TrainingJob& job);

}  // namespace evener::jobs
