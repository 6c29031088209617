// Ctrl-C for one job: the first signal stops it with its grace, the second at once. It has a
// thread of its own, since the view may wait for a reader of its output for any time.
//
// Used by:  train.
// Threads:  one of its own, which ends in the destructor.
// Fails:    a stop that the source refuses is logged; the next signal tries again. Where the source
//           does not answer the second one leaves the job behind.
#pragma once

#include <memory>
#include <string>
#include <thread>

#include "evener/interrupts.h"
#include "evener/job_source.h"

namespace evener::app {

class StopOnSignal {
 public:
  // `source` is its own.
  StopOnSignal(std::unique_ptr<JobSource> source, std::string job, Interrupts& interrupts);

 private:
  void run(const std::stop_token& stop);
  void request_stop(int signals_so_far);

  const std::unique_ptr<JobSource> source_;
  const std::string job_;
  Interrupts& interrupts_;
  std::jthread thread_;   // last: it uses all of the above
};

}  // namespace evener::app
