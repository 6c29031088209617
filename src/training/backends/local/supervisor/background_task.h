// Work on a thread of its own, whose end can be polled for.
//
// Used by:  TaskPhase.
// Threads:  start() and finished() on one thread; the work on its own. The destructor asks the work
//           to stop and waits for it.
// Fails:    start() when the system gives no descriptor.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <stop_token>
#include <thread>

#include "base/result.h"
#include "os/unique_fd.h"

namespace evener::backends {

class BackgroundTask {
 public:
  static Result<std::unique_ptr<BackgroundTask>> start(std::function<void(std::stop_token)> work);
  BackgroundTask(const BackgroundTask&) = delete;
  BackgroundTask& operator=(const BackgroundTask&) = delete;

  bool finished() const { return finished_.load(std::memory_order_acquire); }
  // Readable from the moment it has finished.
  int finished_fd() const { return finished_event_.get(); }
  void request_stop() { thread_.request_stop(); }

 private:
  explicit BackgroundTask(os::UniqueFd finished_event)
      : finished_event_(std::move(finished_event)) {}

  os::UniqueFd finished_event_;
  std::atomic<bool> finished_{false};
  std::jthread thread_;
};

}  // namespace evener::backends
