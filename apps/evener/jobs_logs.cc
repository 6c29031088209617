#include <algorithm>

#include "evener/commands.h"
#include "evener/job_follower.h"
#include "evener/job_view.h"
#include "evener/machine.h"
#include "evener/utc_time.h"

namespace evener::app {
namespace {

// How often it is made sure that someone carries the followed job on.
constexpr std::chrono::milliseconds kAttendInterval{1000};

bool wanted(const HostLine& line, const LogsOptions& options, WallTime since) {
  return (options.host.empty() || line.host == options.host) &&
         (options.group.empty() || line.group == options.group) && line.line.time >= since;
}

// Lines of all hosts in the order of their times; within a host the order stays.
void sort_by_time(std::vector<HostLine>& lines) {
  std::ranges::stable_sort(lines, {}, [](const HostLine& line) { return line.line.time; });
}

void print_lines(const std::vector<HostLine>& lines, const LogsOptions& options) {
  std::string text;
  for (const auto& line : lines)
    text += (options.shared.form == OutputForm::kJson ? line_json(line, options.name)
                                                      : line_text(line)) +
            "\n";
  print(text);
}

Status check_names(const jobs::TrainingJob& job, const LogsOptions& options) {
  const auto has_host = [&](const jobs::Instance& instance) {
    return instance.placement.host == options.host;
  };
  const auto has_group = [&](const jobs::InstanceGroup& group) {
    return group.name == options.group;
  };
  if (!options.host.empty() && std::ranges::none_of(job.instances, has_host))
    return failure(ErrorCode::kInvalidArgument,
                   "job " + options.name + " has no host '" + options.host + "'; its hosts are algo-1" +
                       (job.instances.size() > 1
                            ? " to algo-" + std::to_string(job.instances.size())
                            : ""));
  if (!options.group.empty() && std::ranges::none_of(job.spec.groups, has_group))
    return failure(ErrorCode::kInvalidArgument,
                   "job " + options.name + " has no group '" + options.group + "'");
  return ok();
}

// Until the job has ended and all was read, or nobody reads; without --follow until the present
// end.
Status print_log(JobFollower& follower, const LogsOptions& options, WallTime since,
                 JobSource& source, const Clock& clock) {
  MonotonicTime attend_at = clock.monotonic_now() + kAttendInterval;
  for (;;) {
    auto update = follower.poll();
    if (!update) return tl::unexpected(update.error());
    std::erase_if(update->lines,
                  [&](const HostLine& line) { return !wanted(line, options, since); });
    sort_by_time(update->lines);
    print_lines(update->lines, options);
    const bool at_end = update->empty();
    if (at_end && (follower.job().ended() || !options.follow)) return ok();
    if (output_is_closed()) return ok();
    if (at_end && clock.monotonic_now() >= attend_at) {
      RETURN_IF_ERROR(source.attend());
      attend_at = clock.monotonic_now() + kAttendInterval;
    }
    if (at_end) follower.rest();
  }
}

}  // namespace

int run_jobs_logs(const LogsOptions& options) {
  const SystemClock clock;
  WallTime since{};
  if (!options.since.empty()) {
    auto parsed = parse_since(options.since, clock.wall_now());
    if (!parsed) return report_error(parsed.error(), kExitUsage);
    since = *parsed;
  }
  auto source = open_jobs(options.shared, clock);
  if (!source) return report_error(source.error(), kExitUsage);
  auto job = find_job(**source, options.name);
  if (!job) return report_error(job.error(), kExitUsage);
  if (auto checked = check_names(*job, options); !checked)
    return report_error(checked.error(), kExitUsage);
  auto follower = JobFollower::open(**source, job->spec.name);
  if (!follower) return report_error(follower.error(), kExitUsage);
  if (auto printed = print_log(**follower, options, since, **source, clock); !printed)
    return report_error(printed.error(), kExitFailed);
  return kExitDone;
}

}  // namespace evener::app
