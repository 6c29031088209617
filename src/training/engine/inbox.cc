#include "training/engine/inbox.h"

#include <utility>

namespace evener::engine {

void Inbox::post(jobs::JobEvent event) {
  {
    MutexLock lock(mutex_);
    changed_.wait(mutex_, [&] { return closed_ || events_.size() < capacity_; });
    if (closed_) return;
    events_.push_back(std::move(event));
  }
  changed_.notify_all();
}

std::optional<Error> Inbox::ask(CommitRequest& request) {
  {
    MutexLock lock(mutex_);
    if (closed_) return Error{ErrorCode::kUnavailable, "the engine has ended"};
    if (requests_.size() == kMostRequests)
      return Error{ErrorCode::kUnavailable, "ThrottlingException: Rate exceeded"};
    requests_.push_back(std::move(request));
  }
  changed_.notify_all();
  return std::nullopt;
}

std::vector<CommitRequest> Inbox::take_requests() {
  MutexLock lock(mutex_);
  return std::exchange(requests_, {});
}

void Inbox::wake() {
  {
    MutexLock lock(mutex_);
    woken_ = true;
  }
  changed_.notify_all();
}

void Inbox::close() {
  {
    MutexLock lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
}

std::vector<jobs::JobEvent> Inbox::take(std::chrono::milliseconds wait, std::size_t most,
                                        std::stop_token stop) {
  std::vector<jobs::JobEvent> taken;
  {
    MutexLock lock(mutex_);
    changed_.wait_for(mutex_, stop, wait,
                      [&] { return closed_ || woken_ || !requests_.empty() || (most > 0 && !events_.empty());
                      });
    woken_ = false;
    while (!events_.empty() && taken.size() < most) {
      taken.push_back(std::move(events_.front()));
      events_.pop_front();
    }
  }
  changed_.notify_all();
  return taken;
}

}  // namespace evener::engine
