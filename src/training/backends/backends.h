// Where jobs run: the interface of every backend. The engine tells a backend what to do; the
// backend answers only by posting events.
//
// Used by:  engine; implemented by local, scripted (and slurm).
// Threads:  calls come from the engine's thread and do not block for long; events are posted
//           from any thread.
// Fails:    start() when the job cannot even be handed over; everything later is an event.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "training/jobs/jobs.h"

namespace evener::backends {

// Takes an event in; may be called from any thread, keeps the order of one job's events.
using EventSink = std::function<void(jobs::JobEvent)>;

enum class StopMode { kGraceful, kAtOnce };

class Backend {
 public:
  virtual ~Backend() = default;
  // Begins to run `job`, whose instances are placed. Answers with StagingStarted ... Ended.
  virtual Status start(const jobs::TrainingJob& job) = 0;
  // Finds again a job that was started by an earlier engine and posts what it missed, from
  // job.imported_position on; a job whose supervisor is gone without a word ends as Failed.
  virtual Status adopt(const jobs::TrainingJob& job) = 0;
  // SIGTERM, the job's grace, SIGKILL, then collect; or SIGKILL at once. Again is harmless.
  virtual void stop(const std::string& job, StopMode mode) = 0;
  // Frees whatever an ended job still holds (processes, mounts, cgroups, instance folders);
  // logs and journal stay. Harmless if there is nothing.
  virtual Status release(const jobs::TrainingJob& job) = 0;
};

}  // namespace evener::backends
