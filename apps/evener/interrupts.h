// Ctrl-C and its like as a descriptor instead of a handler.
//
// Used by:  train, logs --follow, engine.
// Threads:  make it before any other thread: the signals are blocked in every thread from then on.
// Fails:    make() when the kernel has no descriptor left.
#pragma once

#include <chrono>

#include "base/result.h"
#include "os/unique_fd.h"

namespace evener::app {

class Interrupts {
 public:
  // SIGINT, SIGTERM, SIGHUP; SIGPIPE is ignored so that a closed pager is an error of write().
  static Result<Interrupts> make();

  // Waits at most `timeout`; how many signals came.
  int wait(std::chrono::milliseconds timeout);

 private:
  explicit Interrupts(os::UniqueFd signals) : signals_(std::move(signals)) {}
  os::UniqueFd signals_;
};

}  // namespace evener::app
