// Events and requests on their way to the engine: bounded queues that can also be woken. Private to
// engine.
//
// Used by:  engine.
// Threads:  post(), ask() and wake() from any; take() and take_requests() from the engine's.
// Fails:    post() drops the event once closed; take() then answers nothing. ask() hands the request
//           back when it is closed or full.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <optional>
#include <stop_token>
#include <vector>

#include "base/mutex.h"
#include "training/engine/engine.h"
#include "training/jobs/jobs.h"

namespace evener::engine {

struct CommitRequest {
  std::vector<jobs::JobEvent> events;
  CommitAnswer done;
};

inline constexpr std::size_t kMostRequests = 4096;   // that wait for a commit

class Inbox {
 public:
  explicit Inbox(std::size_t capacity) : capacity_(capacity) {}

  // Waits for room.
  void post(jobs::JobEvent event);
  // Never waits: an answer whose code says why the request was not taken.
  std::optional<Error> ask(CommitRequest& request);
  std::vector<CommitRequest> take_requests();
  // Ends the current or the next wait of take(). Never waits itself.
  void wake();
  void close();

  // Waits at most `wait` for an event, a request or a wake; takes up to `most` events, oldest first. With
  // `most` 0 no event ends the wait.
  std::vector<jobs::JobEvent> take(std::chrono::milliseconds wait, std::size_t most,
                                   std::stop_token stop);

 private:
  const std::size_t capacity_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<jobs::JobEvent> events_ GUARDED_BY(mutex_);
  std::vector<CommitRequest> requests_ GUARDED_BY(mutex_);
  bool woken_ GUARDED_BY(mutex_) = false;
  bool closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace evener::engine
