// From the reader's thread to next(): many batches at a time.
//
// Used by:  reader.cc, reader_loop.h.
// Threads:  push(), finish(), progress() are the reader's thread's; take(), wait_for() are next()'s.
// Fails:    take(): the error that finish() was given.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "data/client/reorder_window.h"
#include "data/transport/transport.h"

namespace evener::data::client {

class Handover {
 public:
  Handover(const Clock& clock, std::shared_ptr<transport::WakeQueue> wake)
      : clock_(clock), wake_(std::move(wake)) {}

  // The next in order; nothing at the end.
  Result<std::optional<Arrival>> take();
  // True when take() would not wait. A wait that goes on in the next call is one wait.
  bool wait_for(std::chrono::milliseconds timeout);
  // That of the taken one was given to the user: acknowledged when the next is asked for.
  void push(std::vector<Arrival>& arrivals);             // empties it
  void finish(std::optional<Error> why);                 // nothing more comes; the first reason counts

  void drop_ready();                                     // what nobody will take

  struct Progress {
    std::optional<Unit> taken{};                         // the last that the user has
    bool waiting = false;                                // next() has nothing
    MonotonicTime waiting_since;
  };
  Progress progress() const;
  std::chrono::nanoseconds wait() const;                 // in take()
  std::size_t ready() const;

 private:
  bool refill();
  void begin_wait() REQUIRES(mutex_);

  // Taken bytes that are worth to wake the reader's thread for, which tells the dispatcher.
  static constexpr std::uint64_t kTellBytes = 256u << 10;

  const Clock& clock_;
  const std::shared_ptr<transport::WakeQueue> wake_;
  std::deque<Arrival> local_;                            // next()'s own
  std::uint64_t untold_bytes_ = 0;                       // next()'s own
  std::optional<Unit> last_;                             // next()'s own

  mutable Mutex mutex_;
  std::condition_variable_any arrived_;
  std::deque<Arrival> ready_ GUARDED_BY(mutex_);
  bool finished_ GUARDED_BY(mutex_) = false;
  std::optional<Error> why_ GUARDED_BY(mutex_);
  Progress progress_ GUARDED_BY(mutex_);
  std::chrono::nanoseconds wait_ GUARDED_BY(mutex_){0};
};

}  // namespace evener::data::client
