// The supervisor's only loop: waits for engines, instances and the phase that runs now, whichever
// comes first, and keeps the journal moving when the disk was full.
//
// Used by:  JobSteps.
// Threads:  one.
// Fails:    never; trouble of poll(2) or of the sandbox's descriptor is logged.
#pragma once

#include "base/clock.h"
#include "training/backends/local/supervisor/engine_link.h"
#include "training/backends/local/supervisor/phase.h"
#include "training/backends/local/supervisor/recorder.h"
#include "training/backends/local/supervisor/stop_signal.h"

namespace evener::backends {

class EventLoop {
 public:
  // The job's longest run time begins now.
  EventLoop(EngineLink& link, Recorder& recorder, JournalWriter& journal,
                 sandbox::Sandbox* instances, const Clock& clock)
      : link_(link),
        recorder_(recorder),
        journal_(journal),
        instances_(instances),
        clock_(clock),
        longest_(clock.monotonic_now() + recorder.job().spec.max_runtime) {}

  // From now on a signal stops the job as a user's request does; `signal` outlives the loop.
  void obey(StopSignal& signal) { signal_ = &signal; }
  // Turns until `phase` is done.
  void run(Phase& phase);
  // Until the attached engine has taken all and hung up, and the journal is written; at most
  // kFarewell. Without room on the disk it stays while an engine is attached.
  void say_farewell();

 private:
  void turn(Phase& phase);
  void take_stops(Phase& phase);
  void stop(Phase& phase, StopMode mode);
  void stop_by_signal(Phase& phase, pid_t sender);
  void stop_by_itself(Phase& phase);
  void take_host_events(Phase& phase);
  int timeout_ms(const Phase& phase) const;

  EngineLink& link_;
  Recorder& recorder_;
  JournalWriter& journal_;
  sandbox::Sandbox* instances_;
  StopSignal* signal_ = nullptr;
  const Clock& clock_;
  const MonotonicTime longest_;      // when the longest run time is over
};

}  // namespace evener::backends
