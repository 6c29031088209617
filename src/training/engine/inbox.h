// Events on their way to the engine: a bounded queue that can also be woken. Private to engine.
//
// Used by:  engine.
// Threads:  post() and wake() from any; take() from the engine's.
// Fails:    post() drops the event once closed; take() then answers nothing.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <stop_token>
#include <vector>

#include "base/mutex.h"
#include "training/jobs/jobs.h"

namespace evener::engine {

class Inbox {
 public:
  explicit Inbox(std::size_t capacity) : capacity_(capacity) {}

  // Waits for room.
  void post(jobs::JobEvent event);
  // Ends the current or the next wait of take(). Never waits itself.
  void wake();
  void close();

  // Waits at most `wait` for an event or a wake; takes up to `most` events, oldest first. With
  // `most` 0 only a wake or the time ends the wait.
  std::vector<jobs::JobEvent> take(std::chrono::milliseconds wait, std::size_t most,
                                   std::stop_token stop);

 private:
  const std::size_t capacity_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<jobs::JobEvent> events_ GUARDED_BY(mutex_);
  bool woken_ GUARDED_BY(mutex_) = false;
  bool closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace evener::engine
