// When a server that ended is started again.
//
// Used by:  s3_server.
// Threads:  a value.
// Fails:    never.
#pragma once

#include <chrono>

#include "base/clock.h"

namespace evener::storage {

inline constexpr std::chrono::milliseconds kFirstRestartDelay{500};
inline constexpr std::chrono::milliseconds kLongestRestartDelay{30'000};
inline constexpr std::chrono::seconds kSteadyAfter{60};     // ran so long: trouble is new

class Restarts {
 public:
  // One run is over: how long to wait before the next.
  std::chrono::milliseconds ended(MonotonicTime started, MonotonicTime now);

 private:
  std::chrono::milliseconds next_{kFirstRestartDelay};
};

}  // namespace evener::storage
