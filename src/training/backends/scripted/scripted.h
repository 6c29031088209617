// A backend that runs nothing: each job follows a script on a clock that the test moves.
//
// Used by:  tests, simulation, the engine benchmark.
// Threads:  advance() posts all events that are due, on the caller's thread.
// Fails:    as the script says.
// Script:   hyperparameters of the job, `script_` first: run_for_ms, exit_code, fail_host,
//           start_error, ignore_sigterm, crash_after_ms (the supervisor vanishes), staging_ms,
//           uploading_ms.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "base/clock.h"
#include "training/backends/backends.h"

namespace evener::backends {

class ScriptedBackend : public Backend {
 public:
  // Posts every event that is due at clock.monotonic_now().
  virtual void advance() = 0;
  // When the next event is due; nothing if none is.
  virtual std::optional<MonotonicTime> next_due() const = 0;
  // The engine died: nothing is posted to the old sink any more; running jobs go on and keep a
  // journal, so that adopt() can post what was missed.
  virtual void reconnect(EventSink sink) = 0;
};

std::unique_ptr<ScriptedBackend> make_scripted_backend(const Clock& clock, EventSink sink);

}  // namespace evener::backends
