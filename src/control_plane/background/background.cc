#include "control_plane/background/background.h"

#include <utility>

namespace evener::control_plane {

Background::Background(int threads) {
  for (int i = 0; i < threads; ++i)
    threads_.emplace_back([this](std::stop_token stop) { work(std::move(stop)); });
}

Background::~Background() {
  for (std::jthread& thread : threads_) thread.request_stop();
  threads_.clear();
}

std::vector<Operation> Background::move(std::vector<Operation> operations) {
  for (Operation& operation : operations)
    operation.run = [this, run = std::move(operation.run)](const document::Value& input,
                                                           const Caller& caller,
                                                           const Answer& answer) {
      if (!add({[run, input, caller, answer] { run(input, caller, answer); },
                document::held_bytes(input)}))
        answer(failure(ErrorCode::kUnavailable, "ThrottlingException: Rate exceeded"));
    };
  return operations;
}

bool Background::add(Task task) {
  {
    MutexLock lock(mutex_);
    if (tasks_.size() >= kMostTasks || bytes_ + task.bytes > kMostTaskBytes) return false;
    bytes_ += task.bytes;
    tasks_.push_back(std::move(task));
  }
  added_.notify_one();
  return true;
}

void Background::work(std::stop_token stop) {
  while (true) {
    Task task;
    {
      MutexLock lock(mutex_);
      if (!added_.wait(mutex_, stop, [this] { return !tasks_.empty(); })) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
      bytes_ -= task.bytes;
    }
    if (stop.stop_requested()) return;
    task.run();
  }
}

}  // namespace evener::control_plane
