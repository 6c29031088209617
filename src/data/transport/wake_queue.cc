#include "data/transport/wake_queue.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace evener::data::transport {

Result<std::shared_ptr<WakeQueue>> WakeQueue::open() {
  auto queue = std::make_shared<WakeQueue>();
  queue->fd_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!queue->fd_) return errno_failure(errno, "eventfd");
  return queue;
}

void WakeQueue::wake(std::uint64_t number) {
  const MutexLock lock(mutex_);
  if (!fd_) return;
  numbers_.push_back(number);
  if (std::exchange(signalled_, true)) return;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t bytes = ::write(fd_.get(), &one, sizeof one);
}

std::vector<std::uint64_t> WakeQueue::take() {
  std::uint64_t count = 0;
  const MutexLock lock(mutex_);
  [[maybe_unused]] const ssize_t bytes = ::read(fd_.get(), &count, sizeof count);
  signalled_ = false;
  return std::exchange(numbers_, {});
}

void WakeQueue::close() {
  const MutexLock lock(mutex_);
  fd_.reset();
}

}  // namespace evener::data::transport
