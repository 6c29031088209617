// Removes the folders of deleted jobs, one after another, beside whatever else goes on.
//
// Used by:  serve.
// Threads:  one of its own, which ends in the destructor once all that it was given is gone;
//           remove() from any.
// Fails:    what cannot be removed is logged.
#pragma once

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <thread>

#include "base/mutex.h"
#include "os/file_system.h"

namespace evener::app {

class FolderRemover {
 public:
  explicit FolderRemover(os::FileSystem& files);
  void remove(std::filesystem::path folder);

 private:
  void run(const std::stop_token& stop);

  os::FileSystem& files_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::filesystem::path> folders_ GUARDED_BY(mutex_);
  std::jthread thread_;   // last: it uses all of the above
};

}  // namespace evener::app
