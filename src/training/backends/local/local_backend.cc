#include <set>
#include <variant>

#include "base/mutex.h"
#include "training/backends/local/launch.h"
#include "training/backends/local/local.h"
#include "training/backends/local/running_jobs.h"

namespace evener::backends {
namespace {

class LocalBackend final : public Backend {
 public:
  LocalBackend(LocalOptions options, os::FileSystem& files, const Clock& clock, EventSink sink)
      : options_(std::move(options)),
        files_(files),
        sink_([this, pass_on = std::move(sink)](jobs::JobEvent event) {
          note_orderly_end(event);
          pass_on(std::move(event));
        }),
        clock_(clock) {}

  Status open() {
    auto running = RunningJobs::start(clock_);
    if (!running) return tl::unexpected<Error>(running.error());
    running_ = std::move(*running);
    return ok();
  }

  Status start(const jobs::TrainingJob& job) override {
    if (!job.launched || job.instances.empty()) {
      return failure(ErrorCode::kInvalidArgument, "job " + job.spec.name + " has no instances");
    }
    auto supervisor = launch_supervisor(options_, files_, job);
    if (!supervisor) {
      return failure(ErrorCode::kUnavailable,
                     "no supervisor could be started: " + supervisor.error().message);
    }
    running_->add(std::make_unique<SupervisorLink>(parts_, job, std::move(*supervisor)));
    return ok();
  }

  Status adopt(const jobs::TrainingJob& job) override {
    running_->add(std::make_unique<SupervisorLink>(parts_, job));
    return ok();
  }

  void stop(const std::string& job, StopMode mode) override { running_->stop(job, mode); }

  Status release(const jobs::TrainingJob& job) override {
    const JobFolder folder = job_folder(options_.home, job.spec.name);
    const bool in_order = take_orderly_end(job.spec.name);
    RETURN_IF_ERROR(in_order ? sandbox::remove_groups(job.spec.name, folder.instances())
                             : sandbox::remove_leftovers(job.spec.name, folder.instances()));
    Status removed = files_.remove_tree(folder.instances());
    if (removed || removed.error().code != ErrorCode::kPermissionDenied) return removed;
    return remove_instances_by_supervisor(options_, folder);
  }

 private:
  // A supervisor's own word of the end is its last: it has removed what it made by then.
  void note_orderly_end(const jobs::JobEvent& event) {
    if (event.journal_position == 0 || !std::holds_alternative<jobs::Ended>(event.change)) return;
    MutexLock lock(mutex_);
    ended_in_order_.insert(event.job);
  }

  bool take_orderly_end(const std::string& job) {
    MutexLock lock(mutex_);
    return ended_in_order_.erase(job) > 0;
  }

  const LocalOptions options_;
  os::FileSystem& files_;
  const EventSink sink_;
  const Clock& clock_;
  const BackendParts parts_{options_, files_, clock_, sink_};
  Mutex mutex_;
  std::set<std::string> ended_in_order_ GUARDED_BY(mutex_);   // and not released yet
  std::unique_ptr<RunningJobs> running_;   // last: its thread uses all of the above
};

}  // namespace

Result<std::unique_ptr<Backend>> make_local_backend(LocalOptions options, os::FileSystem& files,
                                                    const Clock& clock, EventSink sink) {
  auto backend = std::make_unique<LocalBackend>(std::move(options), files, clock, std::move(sink));
  RETURN_IF_ERROR(backend->open());
  return std::unique_ptr<Backend>(std::move(backend));
}

}  // namespace evener::backends
