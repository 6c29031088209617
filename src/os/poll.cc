#include "os/poll.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>

#include "base/clock.h"

namespace evener::os {

Result<bool> wait_ready(int fd, short events, std::chrono::milliseconds timeout) {
  using std::chrono::milliseconds;
  constexpr milliseconds kLongest = std::chrono::hours(24 * 20);  // what poll(2) can take
  timeout = std::clamp(timeout, milliseconds(0), kLongest);
  const SystemClock clock;
  const MonotonicTime deadline = clock.monotonic_now() + timeout;
  pollfd waited{fd, events, 0};
  while (true) {
    const int ready = ::poll(&waited, 1, static_cast<int>(timeout.count()));
    if (ready > 0) return true;
    if (ready == 0) return false;
    if (errno != EINTR) return errno_failure(errno, "poll");
    const auto left = std::chrono::ceil<milliseconds>(deadline - clock.monotonic_now());
    timeout = std::max(milliseconds(0), left);
  }
}

}  // namespace evener::os
