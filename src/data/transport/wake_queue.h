// Wakes an epoll loop for some of its connections; harmless once the loop is gone.
//
// Used by:  server_loop.cc, connection.h; data/client.
// Threads:  any.
// Fails:    open() with the code of errno.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "os/unique_fd.h"

namespace evener::data::transport {

class WakeQueue {
 public:
  static Result<std::shared_ptr<WakeQueue>> open();
  // Readable after wake(), until take(). The loop's.
  int fd() const { return fd_.get(); }
  void wake(std::uint64_t number);
  std::vector<std::uint64_t> take();
  void close();                          // wake() does nothing from now on

 private:
  Mutex mutex_;
  os::UniqueFd fd_;                      // changed under the mutex; fd() is the loop's
  std::vector<std::uint64_t> numbers_ GUARDED_BY(mutex_);
  bool signalled_ GUARDED_BY(mutex_) = false;
};

}  // namespace evener::data::transport
