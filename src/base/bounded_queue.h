// A first-in, first-out queue between threads with a fixed capacity.
//
// Used by:  every hand-over between threads.
// Threads:  any number of producers and consumers.
// Fails:    push returns false once closed or stopped; pop returns nothing once closed and
//           empty, or stopped. Closing never drops what is queued.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/mutex.h"

namespace evener {

template <class T>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {
    CHECK(capacity > 0, "a queue has room for one item");
  }
  BoundedQueue(const BoundedQueue&) = delete;
  BoundedQueue& operator=(const BoundedQueue&) = delete;

  // Waits for room.
  bool push(T item, std::stop_token stop = {}) {
    {
      MutexLock lock(mutex_);
      changed_.wait(mutex_, stop, [&] { return closed_ || items_.size() < capacity_; });
      if (closed_ || items_.size() >= capacity_) return false;
      items_.push_back(std::move(item));
    }
    changed_.notify_all();
    return true;
  }

  // Waits for an item.
  std::optional<T> pop(std::stop_token stop = {}) {
    std::optional<T> item;
    {
      MutexLock lock(mutex_);
      changed_.wait(mutex_, stop, [&] { return closed_ || !items_.empty(); });
      if (items_.empty()) return std::nullopt;
      item.emplace(std::move(items_.front()));
      items_.pop_front();
    }
    changed_.notify_all();
    return item;
  }

  // Waits at most `timeout` for the first item, then takes all that are there.
  std::vector<T> take_all(std::chrono::milliseconds timeout, std::stop_token stop = {}) {
    // Longer waits would overflow the clock.
    constexpr std::chrono::milliseconds kLongest = std::chrono::hours(24 * 365);
    timeout = std::min(timeout, kLongest);
    std::vector<T> taken;
    {
      MutexLock lock(mutex_);
      changed_.wait_for(mutex_, stop, timeout, [&] { return closed_ || !items_.empty(); });
      taken.reserve(items_.size());
      for (T& item : items_) taken.push_back(std::move(item));
      items_.clear();
    }
    changed_.notify_all();
    return taken;
  }

  void close() {
    {
      MutexLock lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
  }

 private:
  const std::size_t capacity_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<T> items_ GUARDED_BY(mutex_);
  bool closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace evener
