// Ctrl-C for one job: the first signal stops it with its grace, the second at once. It has a
// thread of its own, since the view may wait for a reader of its output for any time.
//
// Used by:  train.
// Threads:  one of its own, which ends in the destructor.
// Fails:    start() when the store cannot be opened a second time. A stop that the store refuses
//           is logged; the next signal tries again.
#pragma once

#include <memory>
#include <string>
#include <thread>

#include "base/clock.h"
#include "evener/home.h"
#include "evener/interrupts.h"
#include "training/store/store.h"

namespace evener::app {

class StopOnSignal {
 public:
  static Result<std::unique_ptr<StopOnSignal>> start(const Home& home, const std::string& job,
                                                     Interrupts& interrupts, const Clock& clock);

 private:
  StopOnSignal(Home home, std::string job, std::unique_ptr<store::Store> store,
               Interrupts& interrupts, const Clock& clock);
  void run(const std::stop_token& stop);
  void request_stop(int signals_so_far);

  const Home home_;
  const std::string job_;
  const std::unique_ptr<store::Store> store_;
  Interrupts& interrupts_;
  const Clock& clock_;
  std::jthread thread_;   // last: it uses all of the above
};

}  // namespace evener::app
