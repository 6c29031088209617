// All running jobs as the engine sees them: a thread that listens to their supervisors.
//
// Used by:  make_local_backend.
// Threads:  add(), stop(): any. The thread ends with the object; supervisors see their engine go.
// Fails:    start() when the system gives no descriptor.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "training/backends/local/supervisor_link.h"

namespace evener::backends {

class RunningJobs {
 public:
  static Result<std::unique_ptr<RunningJobs>> start(const Clock& clock);
  ~RunningJobs();
  RunningJobs(const RunningJobs&) = delete;
  RunningJobs& operator=(const RunningJobs&) = delete;

  void add(std::unique_ptr<SupervisorLink> job);
  void stop(const std::string& job, StopMode mode);

 private:
  RunningJobs(const Clock& clock, os::UniqueFd wake) : clock_(clock), wake_(std::move(wake)) {}
  void wake_up();
  void run(const std::stop_token& stop);
  void wait();
  void take_orders();

  const Clock& clock_;
  os::UniqueFd wake_;
  Mutex mutex_;
  // Given and not taken yet. Neither grows beyond the jobs that run: a job is added once, and of
  // several stops the strongest is kept.
  std::vector<std::unique_ptr<SupervisorLink>> added_ GUARDED_BY(mutex_);
  std::map<std::string, StopMode> stops_ GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<SupervisorLink>> jobs_;   // the thread's own
  std::jthread thread_;
};

}  // namespace evener::backends
