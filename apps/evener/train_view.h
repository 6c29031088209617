// The part of `evener train` that does not know where the job runs: shows it until its end, stops it
// on signals, and sums it up.
//
// Used by:  train, train_remote.
// Threads:  the caller's, and one for signals while it lasts.
// Fails:    answers the process's exit code; errors are reported.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "evener/interrupts.h"
#include "evener/job_source.h"

namespace evener::app {

struct TrainView {
  const SharedOptions& options;
  JobSource& source;
  std::unique_ptr<JobSource> stopper;     // the same jobs, for the thread of signals
  Interrupts& interrupts;
  const Clock& clock;
};
int follow_to_the_end(const std::string& job, TrainView view);

}  // namespace evener::app
