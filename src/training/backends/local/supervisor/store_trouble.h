// What an object store says of its trouble, carried from its threads to the supervisor's loop.
//
// Used by:  run_supervisor (makes it), JobSteps (reads it).
// Threads:  set() from any; take() on the loop's.
// Fails:    never.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "base/mutex.h"

namespace evener::backends {

class StoreTrouble {
 public:
  // Why requests fail and are tried again; "" once they succeed.
  void set(const std::string& why) {
    MutexLock lock(mutex_);
    news_ = why;
  }
  // The newest that was not taken yet.
  std::optional<std::string> take() {
    MutexLock lock(mutex_);
    return std::exchange(news_, std::nullopt);
  }
  // Requested when the job gives up staging or storing: the stores end what they are at.
  std::stop_source give_up;

 private:
  Mutex mutex_;
  std::optional<std::string> news_ GUARDED_BY(mutex_);
};

}  // namespace evener::backends
