// Who waits for news of a job: a request is answered when there is some, or when its time is over.
//
// Used by:  evener_operations; apps own it.
// Threads:  one of its own for all that wait, which sleeps while nobody does; it ends in the
//           destructor. follow() and release() may be called from any.
// Fails:    answers with ResourceNotFound for an unknown job, the store's errors otherwise.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/mutex.h"
#include "control_plane/operations/operations.h"
#include "control_plane/stores/stores.h"
#include "training/following/following.h"

namespace evener::control_plane {

inline constexpr std::chrono::milliseconds kLongestWait{20'000};
// Who comes while so many wait is answered at once.
inline constexpr std::size_t kMostWaiting = 256;

class Followers {
 public:
  using FilesOf = std::function<following::JobFiles(const std::string& job)>;
  Followers(Stores& stores, const Clock& clock, FilesOf files);
  // Answers all.
  ~Followers();
  Followers(const Followers&) = delete;
  Followers& operator=(const Followers&) = delete;

  struct Wish {
    std::string job;
    following::Position position{};
    std::chrono::milliseconds wait{0};
  };
  void follow(Wish wish, Answer answer);
  // From now on nobody waits: a server that ends answers what was asked.
  void release();

 private:
  struct Waiting {
    Wish wish;
    Answer answer;
    MonotonicTime until{};
    std::optional<following::JobReader> reader{};
  };
  void run(const std::stop_token& stop);
  // Waits for somebody to come: a turn at most where others wait already.
  enum class Others { kNone, kWaiting };
  std::list<Waiting> take_arrived(const std::stop_token& stop, Others others);
  // Whether it was answered.
  bool attend(Waiting& one);

  Stores& stores_;
  const Clock& clock_;
  const FilesOf files_;
  std::optional<Stores::Lease> store_;     // of the thread
  Mutex mutex_;
  std::condition_variable_any arrival_;
  std::list<Waiting> arrived_ GUARDED_BY(mutex_);
  std::size_t waiting_ GUARDED_BY(mutex_) = 0;
  bool released_ GUARDED_BY(mutex_) = false;
  std::jthread thread_;                    // last: it uses all of the above
};

}  // namespace evener::control_plane
