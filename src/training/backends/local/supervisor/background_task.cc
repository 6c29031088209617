#include "training/backends/local/supervisor/background_task.h"

#include <sys/eventfd.h>

#include <cerrno>

namespace evener::backends {

Result<std::unique_ptr<BackgroundTask>> BackgroundTask::start(
    std::function<void(std::stop_token)> work) {
  os::UniqueFd event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!event) return errno_failure(errno, "eventfd");
  std::unique_ptr<BackgroundTask> task(new BackgroundTask(std::move(event)));
  BackgroundTask* self = task.get();
  task->thread_ = std::jthread([self, work = std::move(work)](std::stop_token stop) {
    work(std::move(stop));
    self->finished_.store(true, std::memory_order_release);
    ::eventfd_write(self->finished_event_.get(), 1);
  });
  return task;
}

}  // namespace evener::backends
