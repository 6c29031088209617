#include "training/backends/local/launch.h"
#include "training/backends/local/local.h"
#include "training/backends/local/supervisor_watch.h"

namespace evener::backends {
namespace {

class LocalBackend final : public Backend {
 public:
  LocalBackend(LocalOptions options, os::FileSystem& files, const Clock& clock, EventSink sink)
      : options_(std::move(options)), files_(files), sink_(std::move(sink)), clock_(clock) {}

  Status open() {
    auto watch = SupervisorWatch::start(clock_);
    if (!watch) return tl::unexpected<Error>(watch.error());
    watch_ = std::move(*watch);
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
    watch_->add(std::make_unique<SupervisedJob>(parts_, job, std::move(*supervisor)));
    return ok();
  }

  Status adopt(const jobs::TrainingJob& job) override {
    watch_->add(std::make_unique<SupervisedJob>(parts_, job));
    return ok();
  }

  void stop(const std::string& job, StopMode mode) override { watch_->stop(job, mode); }

  Status release(const jobs::TrainingJob& job) override {
    const JobFolder folder = job_folder(options_.home, job.spec.name);
    RETURN_IF_ERROR(sandbox::remove_leftovers(job.spec.name, folder.instances()));
    Status removed = files_.remove_tree(folder.instances());
    if (removed || removed.error().code != ErrorCode::kPermissionDenied) return removed;
    return remove_instances_by_supervisor(options_, folder);
  }

 private:
  const LocalOptions options_;
  os::FileSystem& files_;
  const EventSink sink_;
  const Clock& clock_;
  const BackendParts parts_{options_, files_, clock_, sink_};
  std::unique_ptr<SupervisorWatch> watch_;   // last: its thread uses all of the above
};

}  // namespace

Result<std::unique_ptr<Backend>> make_local_backend(LocalOptions options, os::FileSystem& files,
                                                    const Clock& clock, EventSink sink) {
  auto backend = std::make_unique<LocalBackend>(std::move(options), files, clock, std::move(sink));
  RETURN_IF_ERROR(backend->open());
  return std::unique_ptr<Backend>(std::move(backend));
}

}  // namespace evener::backends
