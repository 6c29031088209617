#include "evener/train_view.h"

#include "evener/commands.h"
#include "evener/job_follower.h"
#include "evener/job_view.h"
#include "evener/stop_on_signal.h"

namespace evener::app {
namespace {

int exit_code_of(const jobs::TrainingJob& job) {
  switch (job.status) {
    case jobs::JobStatus::kCompleted: return kExitDone;
    case jobs::JobStatus::kStopped: return kExitStopped;
    case jobs::JobStatus::kInProgress:
    case jobs::JobStatus::kFailed:
    case jobs::JobStatus::kStopping:
    case jobs::JobStatus::kDeleting: return kExitFailed;
  }
  return kExitFailed;
}

// Shows the job until it has ended and all of it was seen.
Status follow(JobFollower& follower, JobView& view) {
  for (;;) {
    auto update = follower.poll();
    if (!update) return tl::unexpected(update.error());
    view.show(*update, follower.job());
    if (!update->empty()) continue;
    if (follower.job().ended()) return ok();
    follower.rest();
  }
}

}  // namespace

int follow_to_the_end(const std::string& name, TrainView train) {
  auto follower = JobFollower::open(train.source, name);
  if (!follower) return report_error(follower.error(), kExitFailed);
  const StopOnSignal stopper(std::move(train.stopper), name, train.interrupts);
  const auto view = make_job_view(train.options.form, train.source.machine_cpus(), train.clock);
  if (auto followed = follow(**follower, *view); !followed)
    return report_error(followed.error(), kExitFailed);
  const jobs::TrainingJob& job = (*follower)->job();
  const auto cost = train.source.cost_of(job, train.options.region);
  if (!cost) return report_error(cost.error(), kExitFailed);
  view->finish(summarize(job, *cost, train.options.region, train.clock.wall_now()));
  return exit_code_of(job);
}

}  // namespace evener::app
