// How long to go on after failures.
//
// Used by:  requests, download.
// Threads:  a Patience belongs to one operation on one thread; the rest is pure.
// Fails:    never.
#pragma once

#include <chrono>
#include <optional>

#include "storage/s3/s3.h"

namespace evener::storage {

enum class Pace {
  kNormal,
  kSlowDown,      // the server asked for less: waits begin longer
};

// Exponential, with full jitter: between half and all of the delay that `failures` have earned.
std::chrono::milliseconds retry_delay(const RetryLimits& limits, int failures, Pace pace,
                                      std::uint64_t random);

// One operation's way through its failures.
class Patience {
 public:
  Patience(const RetryLimits& limits, const Clock& clock) : limits_(limits), clock_(clock) {}

  // A try failed: how long to wait before the next; nothing when it is enough.
  std::optional<std::chrono::milliseconds> failed(Pace pace, std::uint64_t random);
  // Something came through: all patience again.
  void progressed();
  int failures() const { return failures_; }

 private:
  const RetryLimits& limits_;
  const Clock& clock_;
  int failures_ = 0;
  std::optional<MonotonicTime> first_failure_;
};

}  // namespace evener::storage
