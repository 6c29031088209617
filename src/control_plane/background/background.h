// Operations that may read for long, away from the server's threads: short ones do not wait behind
// them.
//
// Used by:  apps (`evener serve`).
// Threads:  move() before the operations are served; they run on any thread, their work on the
//           threads that this owns, which end in the destructor. Tasks that wait are dropped then.
// Fails:    an operation answers ThrottlingException when too many wait.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <stop_token>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "control_plane/operations/operations.h"

namespace evener::control_plane {

inline constexpr std::size_t kMostTasks = 1'000;            // that wait for a thread
inline constexpr std::size_t kMostTaskBytes = 64u << 20;    // of memory that their inputs take

class Background {
 public:
  explicit Background(int threads);
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  // The same operations, run by the threads of this, which outlives them.
  std::vector<Operation> move(std::vector<Operation> operations);

 private:
  struct Task {
    std::function<void()> run;
    std::size_t bytes = 0;
  };
  bool add(Task task);
  void work(std::stop_token stop);

  Mutex mutex_;
  std::condition_variable_any added_;
  std::deque<Task> tasks_ GUARDED_BY(mutex_);
  std::size_t bytes_ GUARDED_BY(mutex_) = 0;         // of all that wait
  std::vector<std::jthread> threads_;
};

}  // namespace evener::control_plane
