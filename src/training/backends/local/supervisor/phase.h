// One part of a job's life as the supervisor's loop sees it: what it waits for, and what it does
// when that happens.
//
// Used by:  EventLoop; implemented by TaskPhase, InstallPhase, TrainPhase.
// Threads:  one, the supervisor's.
// Fails:    never; a phase that ends badly keeps why for its owner.
#pragma once

#include <optional>

#include "base/clock.h"
#include "training/backends/backends.h"
#include "training/sandbox/sandbox.h"

namespace evener::backends {

class Phase {
 public:
  virtual ~Phase() = default;
  virtual bool done() const = 0;
  // Whether losing the engine or the end of the longest run time stops the job now; while results
  // are brought home they do not.
  virtual bool stoppable() const = 0;
  // May come more than once.
  virtual void stop(StopMode mode) = 0;
  virtual void host_event(const sandbox::HostEvent& event) = 0;
  // Called at every turn of the loop.
  virtual void tick() = 0;
  // When tick() is due at the latest.
  virtual std::optional<MonotonicTime> next_tick() const = 0;
  // Readable when tick() is due; -1 for none.
  virtual int ready_fd() const { return -1; }
};

}  // namespace evener::backends
