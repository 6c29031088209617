#include "evener/folder_remover.h"

#include <utility>

#include "base/log.h"

namespace evener::app {

FolderRemover::FolderRemover(os::FileSystem& files)
    : files_(files), thread_([this](const std::stop_token& stop) { run(stop); }) {}

void FolderRemover::remove(std::filesystem::path folder) {
  {
    MutexLock lock(mutex_);
    folders_.push_back(std::move(folder));
  }
  changed_.notify_all();
}

void FolderRemover::run(const std::stop_token& stop) {
  while (true) {
    std::filesystem::path folder;
    {
      MutexLock lock(mutex_);
      changed_.wait(mutex_, stop, [&] { return !folders_.empty(); });
      if (folders_.empty()) return;
      folder = std::move(folders_.front());
      folders_.pop_front();
    }
    if (auto removed = files_.remove_tree(folder); !removed)
      log_line(LogLevel::kWarning, "server", "could not remove the folder of a deleted job",
               {{"error", removed.error().message}});
  }
}

}  // namespace evener::app
