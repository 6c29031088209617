// A phase that waits for work in the background: staging, packing. Stops are heard meanwhile.
//
// Used by:  JobSteps.
// Threads:  one, the supervisor's; the work runs on the BackgroundTask's.
// Fails:    never; the work keeps its result for its owner.
#pragma once

#include <memory>

#include "training/backends/local/supervisor/background_task.h"
#include "training/backends/local/supervisor/phase.h"

namespace evener::backends {

// What a stop does to the work.
enum class TaskStop {
  kCancels,          // any stop: the job never trained, nothing is lost
  kAtOnceCancels,    // results are being stored: only a stop at once gives them up
};

class TaskPhase final : public Phase {
 public:
  TaskPhase(std::unique_ptr<BackgroundTask> task, TaskStop on_stop)
      : task_(std::move(task)), on_stop_(on_stop) {}

  bool done() const override { return task_->finished(); }
  bool stoppable() const override { return on_stop_ == TaskStop::kCancels; }
  void stop(StopMode mode) override {
    if (on_stop_ == TaskStop::kCancels || mode == StopMode::kAtOnce) task_->request_stop();
  }
  void host_event(const sandbox::HostEvent&) override {}
  void tick() override {}
  std::optional<MonotonicTime> next_tick() const override { return std::nullopt; }
  int ready_fd() const override { return task_->finished_fd(); }

 private:
  std::unique_ptr<BackgroundTask> task_;
  TaskStop on_stop_;
};

}  // namespace evener::backends
