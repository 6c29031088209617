#include "evener/commands.h"
#include "evener/job_source.h"
#include "evener/job_view.h"

namespace evener::app {
namespace {

int done(const JobOptions& options, const std::string& text) {
  if (options.shared.form == OutputForm::kText) print(text + "\n");
  return kExitDone;
}

}  // namespace

int run_jobs_stop(const JobOptions& options) {
  const SystemClock clock;
  auto source = open_jobs(options.shared, clock);
  if (!source) return report_error(source.error(), kExitUsage);
  auto job = find_job(**source, options.name);
  if (!job) return report_error(job.error(), kExitUsage);
  if (job->ended())
    return report_error({ErrorCode::kInvalidArgument,
                         "The request was rejected because the training job is in status " +
                             std::string(to_string(job->status)) + "."},
                        kExitUsage);
  auto stopped = (*source)->stop(*job, options.at_once ? Stop::kAtOnce : Stop::kWithGrace);
  if (!stopped) return report_error(stopped.error(), kExitFailed);
  return done(options, "stopping " + job->spec.name);
}

int run_jobs_delete(const JobOptions& options) {
  const SystemClock clock;
  auto source = open_jobs(options.shared, clock);
  if (!source) return report_error(source.error(), kExitUsage);
  auto job = find_job(**source, options.name);
  if (!job) return report_error(job.error(), kExitUsage);
  if (!job->ended())
    return report_error({ErrorCode::kInvalidArgument,
                         "job " + job->spec.name + " is " + std::string(to_string(job->status)) +
                             "; stop it first: evener jobs stop " + job->spec.name},
                        kExitUsage);
  if (auto removed = (*source)->remove(*job); !removed)
    return report_error(removed.error(), kExitFailed);
  return done(options, "deleted " + job->spec.name + " (its model and output stay where they are)");
}

}  // namespace evener::app
