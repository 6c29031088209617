#include "storage/s3/retry.h"

#include <algorithm>
#include <condition_variable>

#include "base/mutex.h"

namespace evener::storage {
namespace {

using std::chrono::milliseconds;

constexpr int kMostDoublings = 20;
constexpr int kSlowDownFactor = 4;

}  // namespace

milliseconds retry_delay(const RetryLimits& limits, int failures, Pace pace,
                         std::uint64_t random) {
  const int doublings = std::clamp(failures - 1, 0, kMostDoublings);
  milliseconds delay = limits.first_delay * (std::int64_t{1} << doublings);
  if (pace == Pace::kSlowDown) delay *= kSlowDownFactor;
  delay = std::min(delay, limits.longest_delay);
  const auto half = static_cast<std::uint64_t>(delay.count() / 2);
  return milliseconds(static_cast<std::int64_t>(half + random % (half + 1)));
}

std::optional<milliseconds> Patience::failed(Pace pace, std::uint64_t random) {
  const MonotonicTime now = clock_.monotonic_now();
  if (!first_failure_) first_failure_ = now;
  ++failures_;
  const auto left = std::chrono::duration_cast<milliseconds>(*first_failure_ + limits_.patience - now);
  if (left <= milliseconds(0)) return std::nullopt;
  return std::min(retry_delay(limits_, failures_, pace, random), left);
}

void Patience::progressed() {
  failures_ = 0;
  first_failure_.reset();
}

Pause real_pause() {
  return [](milliseconds time, const std::stop_token& stop) {
    Mutex mutex;
    std::condition_variable_any changed;
    mutex.lock();
    changed.wait_for(mutex, stop, time, [] { return false; });
    mutex.unlock();
    return !stop.stop_requested();
  };
}

}  // namespace evener::storage
