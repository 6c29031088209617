#include "training/artifacts/parallel.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <thread>

#include "base/mutex.h"

namespace evener::artifacts {
namespace {

std::size_t worker_count(std::size_t count, std::size_t threads) {
  return std::max<std::size_t>(1, std::min({count, threads, kMaxThreads}));
}

tl::unexpected<Error> cancelled() { return failure(ErrorCode::kCancelled, "stopped on request"); }

// Keeps the first error and stops everybody else.
class FirstError {
 public:
  void set(Error error) {
    {
      MutexLock lock(mutex_);
      if (!failed_) error_ = std::move(error);
      failed_ = true;
    }
    source_.request_stop();
  }
  std::stop_token token() const { return source_.get_token(); }
  std::stop_source& source() { return source_; }
  Status result() {
    MutexLock lock(mutex_);
    if (failed_) return tl::unexpected<Error>(error_);
    return ok();
  }

 private:
  Mutex mutex_;
  std::stop_source source_;
  bool failed_ GUARDED_BY(mutex_) = false;
  Error error_ GUARDED_BY(mutex_);
};

// Slots that are filled in any order and emptied in order.
class Ring {
 public:
  explicit Ring(std::size_t slots) : slots_(slots) {}

  // Waits until the slot of `index` is free; null when stopped.
  std::vector<std::byte>* slot_to_fill(std::size_t index, std::stop_token stop) {
    MutexLock lock(mutex_);
    changed_.wait(mutex_, stop, [&] { return index < taken_ + slots_.size(); });
    if (stop.stop_requested()) return nullptr;
    return &slots_[index % slots_.size()].bytes;
  }
  void filled(std::size_t index) {
    {
      MutexLock lock(mutex_);
      slots_[index % slots_.size()].full = true;
    }
    changed_.notify_all();
  }
  // Waits for `index`; null when stopped.
  std::vector<std::byte>* slot_to_take(std::size_t index, std::stop_token stop) {
    MutexLock lock(mutex_);
    Slot& slot = slots_[index % slots_.size()];
    changed_.wait(mutex_, stop, [&] { return slot.full; });
    return stop.stop_requested() ? nullptr : &slot.bytes;
  }
  void taken(std::size_t index) {
    {
      MutexLock lock(mutex_);
      slots_[index % slots_.size()].full = false;
      taken_ = index + 1;
    }
    changed_.notify_all();
  }

 private:
  struct Slot {
    std::vector<std::byte> bytes;
    bool full = false;
  };
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<Slot> slots_;
  std::size_t taken_ GUARDED_BY(mutex_) = 0;
};

void fill_ring(std::size_t worker, std::size_t count, std::atomic<std::size_t>& next, Ring& ring,
               const MakeBytes& make, FirstError& error) {
  const std::stop_token stop = error.token();
  for (std::size_t index = next++; index < count; index = next++) {
    std::vector<std::byte>* bytes = ring.slot_to_fill(index, stop);
    if (bytes == nullptr) return;
    Status made = make(worker, index, *bytes);
    if (!made) return error.set(std::move(made.error()));
    ring.filled(index);
  }
}

void empty_ring(std::size_t count, Ring& ring, const TakeBytes& take, FirstError& error) {
  for (std::size_t index = 0; index < count; ++index) {
    const std::vector<std::byte>* bytes = ring.slot_to_take(index, error.token());
    if (bytes == nullptr) return;
    Status took = take(index, *bytes);
    if (!took) return error.set(std::move(took.error()));
    ring.taken(index);
  }
}

}  // namespace

Status run_tasks(std::size_t count, std::size_t threads, const Task& task, std::stop_token stop) {
  FirstError error;
  std::atomic<std::size_t> next{0};
  {
    std::stop_callback stop_all(stop, [&] { error.source().request_stop(); });
    const auto work = [&](std::size_t worker) {
      for (std::size_t index = next++; index < count; index = next++) {
        if (error.token().stop_requested()) return;
        Status done = task(worker, index, error.token());
        if (!done) return error.set(std::move(done.error()));
      }
    };
    std::vector<std::jthread> workers;
    for (std::size_t worker = 1; worker < worker_count(count, threads); ++worker)
      workers.emplace_back([&work, worker] { work(worker); });
    work(0);
  }
  if (stop.stop_requested()) return cancelled();
  return error.result();
}

Status make_in_order(std::size_t count, std::size_t threads, const MakeBytes& make,
                     const TakeBytes& take, std::stop_token stop) {
  FirstError error;
  std::atomic<std::size_t> next{0};
  const std::size_t workers_wanted = worker_count(count, threads);
  Ring ring(2 * workers_wanted + 2);
  {
    std::stop_callback stop_all(stop, [&] { error.source().request_stop(); });
    std::vector<std::jthread> workers;
    for (std::size_t worker = 0; worker < workers_wanted; ++worker)
      workers.emplace_back(
          [&, worker] { fill_ring(worker, count, next, ring, make, error); });
    empty_ring(count, ring, take, error);
  }
  if (stop.stop_requested()) return cancelled();
  return error.result();
}

}  // namespace evener::artifacts
