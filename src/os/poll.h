// Waiting for one descriptor with a deadline that signals do not move.
//
// Used by:  os itself (process, socket), and callers that own a single descriptor.
// Threads:  a pure system call; any thread.
// Fails:    with the code of errno.
#pragma once

#include <chrono>

#include "base/result.h"

namespace evener::os {

// True once `fd` has one of `events` (poll.h) or is hung up; false after `timeout`.
Result<bool> wait_ready(int fd, short events, std::chrono::milliseconds timeout);

}  // namespace evener::os
