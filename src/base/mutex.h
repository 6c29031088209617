// A mutex that clang's -Wthread-safety can follow, and its lock.
//
// Used by:  classes shared between threads; guarded members carry GUARDED_BY(mutex_).
// Threads:  any.
// Fails:    never.
#pragma once

#include <mutex>

#if defined(__clang__)
#define EVENER_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define EVENER_THREAD_ANNOTATION(x)
#endif

#define GUARDED_BY(x) EVENER_THREAD_ANNOTATION(guarded_by(x))
#define REQUIRES(...) EVENER_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))

namespace evener {

class EVENER_THREAD_ANNOTATION(capability("mutex")) Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;
  // BasicLockable, so that std::condition_variable_any can wait on it.
  void lock() EVENER_THREAD_ANNOTATION(acquire_capability()) { mutex_.lock(); }
  void unlock() EVENER_THREAD_ANNOTATION(release_capability()) { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

class EVENER_THREAD_ANNOTATION(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) EVENER_THREAD_ANNOTATION(acquire_capability(mutex))
      : mutex_(mutex) {
    mutex_.lock();
  }
  ~MutexLock() EVENER_THREAD_ANNOTATION(release_capability()) { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace evener
