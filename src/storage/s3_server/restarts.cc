#include "storage/s3_server/restarts.h"

#include <algorithm>

namespace evener::storage {

std::chrono::milliseconds Restarts::ended(MonotonicTime started, MonotonicTime now) {
  if (now - started >= kSteadyAfter) next_ = kFirstRestartDelay;
  const std::chrono::milliseconds delay = next_;
  next_ = std::min(2 * next_, kLongestRestartDelay);
  return delay;
}

}  // namespace evener::storage
