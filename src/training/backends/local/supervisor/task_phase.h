// A phase that waits for work in the background: staging, packing. Stops are heard meanwhile.
//
// Used by:  JobSteps.
// Threads:  one, the supervisor's; the work runs on the BackgroundTask's.
// Fails:    never; the work keeps its result for its owner.
#pragma once

#include <functional>
#include <memory>

#include "training/backends/local/supervisor/background_task.h"
#include "training/backends/local/supervisor/phase.h"

namespace evener::backends {

// What a stop does to the work.
enum class TaskStop {
  kCancels,          // any stop: the job never trained, nothing is lost
  kAtOnceCancels,    // results are being stored: only a stop at once gives them up
};

// Done meanwhile, twice a second.
struct Meanwhile {
  std::function<void()> act;
  const Clock& clock;
};

class TaskPhase final : public Phase {
 public:
  TaskPhase(std::unique_ptr<BackgroundTask> task, TaskStop on_stop, Meanwhile meanwhile)
      : task_(std::move(task)), on_stop_(on_stop), meanwhile_(std::move(meanwhile)) {}

  bool done() const override { return task_->finished(); }
  bool stoppable() const override { return on_stop_ == TaskStop::kCancels; }
  void stop(StopMode mode) override {
    if (on_stop_ == TaskStop::kCancels || mode == StopMode::kAtOnce) task_->request_stop();
  }
  void host_event(const sandbox::HostEvent&) override {}
  void tick() override {
    const MonotonicTime now = meanwhile_.clock.monotonic_now();
    if (now < due_) return;
    due_ = now + std::chrono::milliseconds(500);
    meanwhile_.act();
  }
  std::optional<MonotonicTime> next_tick() const override { return due_; }
  int ready_fd() const override { return task_->finished_fd(); }

 private:
  std::unique_ptr<BackgroundTask> task_;
  TaskStop on_stop_;
  Meanwhile meanwhile_;
  MonotonicTime due_{};
};

}  // namespace evener::backends
