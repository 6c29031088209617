#include "data/client/handover.h"

#include <iterator>
#include <utility>

namespace evener::data::client {

Result<std::optional<Arrival>> Handover::take() {
  if (local_.empty() && !refill()) {
    const MutexLock lock(mutex_);
    if (why_) return tl::unexpected<Error>(*why_);
    return std::optional<Arrival>();
  }
  Arrival arrival = std::move(local_.front());
  local_.pop_front();
  last_ = arrival.header.unit();
  untold_bytes_ += arrival.header.body_bytes;
  if (untold_bytes_ >= kTellBytes) {
    untold_bytes_ = 0;
    {
      const MutexLock lock(mutex_);
      progress_.taken = last_;
    }
    wake_->wake(0);
  }
  return std::optional<Arrival>(std::move(arrival));
}

// False at the end.
bool Handover::refill() {
  MutexLock lock(mutex_);
  progress_.taken = last_;
  if (ready_.empty() && !finished_) {
    const MonotonicTime began = clock_.monotonic_now();
    begin_wait();
    arrived_.wait(mutex_, [this] { return !ready_.empty() || finished_; });
    progress_.waiting = false;
    wait_ += clock_.monotonic_now() - began;
  }
  local_.swap(ready_);
  return !local_.empty();
}

bool Handover::wait_for(std::chrono::milliseconds timeout) {
  if (!local_.empty()) return true;
  MutexLock lock(mutex_);
  progress_.taken = last_;
  if (!ready_.empty() || finished_) return true;
  const MonotonicTime began = clock_.monotonic_now();
  begin_wait();
  const bool there =
      arrived_.wait_for(mutex_, timeout, [this] { return !ready_.empty() || finished_; });
  if (there) progress_.waiting = false;
  wait_ += clock_.monotonic_now() - began;
  return there;
}

void Handover::begin_wait() {
  if (progress_.waiting) return;
  progress_.waiting = true;
  progress_.waiting_since = clock_.monotonic_now();
  wake_->wake(0);
}

void Handover::push(std::vector<Arrival>& arrivals) {
  if (arrivals.empty()) return;
  bool waiting = false;
  {
    const MutexLock lock(mutex_);
    ready_.insert(ready_.end(), std::make_move_iterator(arrivals.begin()),
                  std::make_move_iterator(arrivals.end()));
    // next() has something now, even before it runs.
    waiting = std::exchange(progress_.waiting, false);
  }
  arrivals.clear();
  if (waiting) arrived_.notify_one();
}

void Handover::finish(std::optional<Error> why) {
  const MutexLock lock(mutex_);
  if (finished_) return;
  finished_ = true;
  why_ = std::move(why);
  arrived_.notify_all();
}

void Handover::drop_ready() {
  const MutexLock lock(mutex_);
  ready_.clear();
}

Handover::Progress Handover::progress() const {
  const MutexLock lock(mutex_);
  return progress_;
}

std::chrono::nanoseconds Handover::wait() const {
  const MutexLock lock(mutex_);
  return wait_;
}

std::size_t Handover::ready() const {
  const MutexLock lock(mutex_);
  return ready_.size();
}

}  // namespace evener::data::client
