#include "base/clock.h"

namespace evener {

WallTime SystemClock::wall_now() const {
  return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

MonotonicTime SystemClock::monotonic_now() const { return std::chrono::steady_clock::now(); }

}  // namespace evener
