// SIGTERM to a supervisor: whoever ends the machine's processes in order asks for the job's stop.
//
// Used by:  run_supervisor, EventLoop.
// Threads:  made while the process has one thread, so that those it starts later have the signal
//           blocked too; then used by the loop's.
// Fails:    without a descriptor the signal stays blocked and is not heard; fd() is -1.
#pragma once

#include <sys/types.h>

#include <optional>

#include "os/unique_fd.h"

namespace evener::backends {

class StopSignal {
 public:
  StopSignal();
  int fd() const { return fd_.get(); }
  // The sender of the next signal that came, 0 for the kernel; nothing if none came.
  std::optional<pid_t> take();

 private:
  os::UniqueFd fd_;
};

}  // namespace evener::backends
