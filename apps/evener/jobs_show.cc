#include "evener/commands.h"
#include "evener/job_source.h"
#include "evener/job_view.h"
#include "evener/summary.h"
#include "evener/utc_time.h"
#include "training/api/api.h"
#include "training/scheduling/scheduling.h"

namespace evener::app {
namespace {

std::string details(const jobs::TrainingJob& job) {
  std::string text = "arn         " + job.arn + "\n";
  if (const auto reason = scheduling::reason_to_wait(job); !reason.empty())
    text += "pending     " + reason + "\n";
  for (const auto& transition : job.transitions)
    text += "status      " + utc_time(transition.start) + "  " +
            std::string(to_string(transition.status)) + ": " + transition.message + "\n";
  for (const auto& instance : job.instances) {
    const auto& group = jobs::group_of(job.spec, instance.placement);
    text += "host        " + instance.placement.host + "  " + group.name + "  " +
            group.instance_type;
    if (instance.exit) text += "  exit " + std::to_string(instance.exit->exit_code);
    text += "\n";
  }
  for (const auto& notice : job.notices) text += "notice      " + notice + "\n";
  return text;
}

}  // namespace

int run_jobs_show(const JobOptions& options) {
  const SystemClock clock;
  auto source = open_jobs(options.shared, clock);
  if (!source) return report_error(source.error(), kExitUsage);
  auto job = find_job(**source, options.name);
  if (!job) return report_error(job.error(), kExitUsage);
  if (options.shared.form == OutputForm::kJson) {
    print(api::describe_training_job(*job) + "\n");
    return kExitDone;
  }
  const auto cost = (*source)->cost_of(*job, options.shared.region);
  if (!cost) return report_error(cost.error(), kExitFailed);
  std::string text;
  for (const auto& line :
       summary_lines(summarize(*job, *cost, options.shared.region, clock.wall_now())))
    text += line + "\n";
  print(text + details(*job));
  return kExitDone;
}

}  // namespace evener::app
