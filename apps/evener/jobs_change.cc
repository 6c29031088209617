#include "evener/commands.h"
#include "evener/engine_seat.h"
#include "evener/job_view.h"
#include "evener/open_jobs.h"
#include "training/backends/local/job_folder/job_folder.h"

namespace evener::app {
namespace {

Status commit_one(store::Store& store, jobs::JobEvent event) {
  auto committed = store.commit({&event, 1});
  if (!committed) return tl::unexpected(committed.error());
  return std::move(committed->front());
}

int done(const JobOptions& options, const std::string& text) {
  if (options.shared.form == OutputForm::kText) print(text + "\n");
  return kExitDone;
}

}  // namespace

int run_jobs_stop(const JobOptions& options) {
  const SystemClock clock;
  auto opened = open_jobs(options.shared, clock);
  if (!opened) return report_error(opened.error(), kExitUsage);
  auto job = find_job(*opened->store, options.name);
  if (!job) return report_error(job.error(), kExitUsage);
  if (job->ended())
    return report_error({ErrorCode::kInvalidArgument,
                         "The request was rejected because the training job is in status " +
                             std::string(to_string(job->status)) + "."},
                        kExitUsage);
  auto stopped = commit_one(*opened->store,
                            {.job = job->spec.name, .time = clock.wall_now(),
                             .change = jobs::StopRequested{.at_once = options.at_once}});
  if (!stopped) return report_error(stopped.error(), kExitFailed);
  // Also where there is an engine: it may be about to leave.
  if (auto acted = start_background_engine(opened->home, sandbox::best_isolation()); !acted)
    return report_error(acted.error(), kExitFailed);
  wake_engine(opened->home);
  return done(options, "stopping " + job->spec.name);
}

int run_jobs_delete(const JobOptions& options) {
  const SystemClock clock;
  auto opened = open_jobs(options.shared, clock);
  if (!opened) return report_error(opened.error(), kExitUsage);
  auto job = find_job(*opened->store, options.name);
  if (!job) return report_error(job.error(), kExitUsage);
  if (!job->ended())
    return report_error({ErrorCode::kInvalidArgument,
                         "job " + job->spec.name + " is " + std::string(to_string(job->status)) +
                             "; stop it first: evener jobs stop " + job->spec.name},
                        kExitUsage);
  auto deleted = commit_one(*opened->store, {.job = job->spec.name, .time = clock.wall_now(),
                                             .change = jobs::Deleted{}});
  if (!deleted) return report_error(deleted.error(), kExitFailed);
  const auto folder = backends::job_folder(opened->home.root, job->spec.name).root;
  if (auto removed = opened->files->remove_tree(folder); !removed)
    return report_error(removed.error(), kExitFailed);
  return done(options, "deleted " + job->spec.name + " (its model and output stay where they are)");
}

}  // namespace evener::app
