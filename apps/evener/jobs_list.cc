#include "base/byte_size.h"
#include "evener/commands.h"
#include "evener/job_source.h"
#include "evener/job_view.h"
#include "evener/text_table.h"
#include "training/api/api.h"

namespace evener::app {
namespace {

std::string groups_text(const jobs::JobSpec& spec) {
  std::string text;
  for (const auto& group : spec.groups)
    text += (text.empty() ? "" : " ") + group.name + "=" + group.instance_type + ":" +
            std::to_string(group.count);
  return text;
}

std::string age_text(WallTime created, WallTime now) {
  return now < created ? "0 ms" : format_duration(now - created);
}

void print_table(const std::vector<jobs::TrainingJob>& jobs, WallTime now) {
  TextTable table({"name", "status", "secondary", "groups", "age"});
  for (const auto& job : jobs)
    table.add({job.spec.name, std::string(to_string(job.status)),
               std::string(to_string(job.secondary)), groups_text(job.spec),
               age_text(job.created, now)});
  std::string text;
  for (const auto& line : table.lines()) text += line + "\n";
  print(text);
}

}  // namespace

int run_jobs_list(const JobsListOptions& options) {
  const SystemClock clock;
  store::ListFilter filter;
  filter.name_contains = options.name_contains;
  filter.limit = options.limit;
  if (!options.status.empty()) {
    filter.status = jobs::job_status_from(options.status);
    if (!filter.status)
      return report_error({ErrorCode::kInvalidArgument,
                           "--status '" + options.status +
                               "': use InProgress, Completed, Failed, Stopping or Stopped"},
                          kExitUsage);
  }
  auto source = open_jobs(options.shared, clock);
  if (!source && source.error().code == ErrorCode::kNotFound) {
    if (options.shared.form == OutputForm::kText) print(source.error().message + "\n");
    return kExitDone;
  }
  if (!source) return report_error(source.error(), kExitUsage);
  auto jobs = (*source)->list(filter);
  if (!jobs) return report_error(jobs.error(), kExitFailed);
  if (options.shared.form == OutputForm::kJson) {
    std::string text;
    for (const auto& job : *jobs) text += api::summarize_training_job(job) + "\n";
    print(text);
  } else {
    print_table(*jobs, clock.wall_now());
  }
  return kExitDone;
}

}  // namespace evener::app
