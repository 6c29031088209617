// How a job ends.
#include <algorithm>
#include <cmath>
#include <optional>

#include "base/utf8.h"
#include "training/jobs/jobs.h"
#include "training/jobs/outcome.h"

namespace evener::jobs {
namespace {

bool has_primary_group(const TrainingJob& job) {
  return std::ranges::any_of(job.spec.groups,
                             [](const InstanceGroup& group) { return !group.auxiliary; });
}

// Where every group is called auxiliary, none is: something must decide the end.
bool is_primary(const TrainingJob& job, const Instance& instance) {
  return !group_of(job.spec, instance.placement).auxiliary || !has_primary_group(job);
}

bool succeeded(const InstanceExit& exit) { return exit.exit_code == 0 && exit.start_error.empty(); }

// When the last primary host succeeded; nothing while one runs or if one did not succeed.
std::optional<WallTime> primaries_done(const TrainingJob& job) {
  std::optional<WallTime> last;
  for (const Instance& instance : job.instances) {
    if (!is_primary(job, instance)) continue;
    if (!instance.exit || !succeeded(*instance.exit)) return std::nullopt;
    last = std::max(last.value_or(instance.exit->time), instance.exit->time);
  }
  return last;
}

std::optional<WallTime> stop_time(const TrainingJob& job) {
  if (!job.stop) return std::nullopt;
  for (const Transition& transition : job.transitions)
    if (transition.status == SecondaryStatus::kStopping) return transition.start;
  return job.last_modified;  // asked for while Uploading: every exit was before
}

std::string number(double value) {
  std::string text = std::to_string(std::round(value * 10) / 10);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string where(const TrainingJob& job, const Instance& instance) {
  return "host " + instance.placement.host + " of group " + group_of(job.spec, instance.placement).name;
}

std::string out_of_memory_text(const TrainingJob& job, const Instance& instance) {
  const InstanceGroup& group = group_of(job.spec, instance.placement);
  return "ClientError: out of memory: " + where(job, instance) + " reached its memory limit (" +
         group.instance_type + ", " + number(group.shape.memory_gib) +
         " GiB) and the kernel ended a process in it, exit code: " +
         std::to_string(instance.exit->exit_code) +
         ". Please use an instance type with more memory, or hold less in memory on each host "
         "(smaller batches, fewer worker processes).";
}

// What a program wrote, without what only moves a terminal's cursor: zeros and carriage returns
// fall away, other control characters become spaces.
std::string plain_text(std::string_view written) {
  std::string text;
  for (const char c : written) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\0' || c == '\r') continue;
    const bool control = (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f;
    text += control ? ' ' : c;
  }
  text.erase(text.find_last_not_of(" \n\t") + 1);
  return text;
}

std::string failure_text(const TrainingJob& job, const Instance& instance) {
  const InstanceExit& exit = *instance.exit;
  if (exit.out_of_memory) return cut_utf8(out_of_memory_text(job, instance), kFailureReasonBytes);
  const std::string place = " on " + where(job, instance);
  std::string head = "AlgorithmError: ";
  std::string tail = ", exit code: " + std::to_string(exit.exit_code) + place;
  std::string text = plain_text(exit.failure_text);
  if (!exit.start_error.empty()) {
    text = "the program could not be started: " + exit.start_error;
  } else if (text.empty()) {
    head += "Exit Code: " + std::to_string(exit.exit_code);
    tail = (exit.signal ? " (signal " + std::to_string(exit.signal) + ")" : "") + place;
  }
  const std::size_t fixed = std::min(head.size() + tail.size(), kFailureReasonBytes);
  return cut_utf8(head + cut_utf8(text, kFailureReasonBytes - fixed) + tail, kFailureReasonBytes);
}

Ended failed(std::string reason) {
  return {.status = JobStatus::kFailed,
          .secondary = SecondaryStatus::kFailed,
          .failure_reason = std::move(reason)};
}

Ended stopped(SecondaryStatus secondary) {
  return {.status = JobStatus::kStopped, .secondary = secondary, .failure_reason = ""};
}

Ended outcome_of_stop(const TrainingJob& job) {
  switch (job.stop->cause) {
    case StopCause::kUser:
      return stopped(SecondaryStatus::kStopped);
    case StopCause::kMaxRuntime:
      return stopped(SecondaryStatus::kMaxRuntimeExceeded);
    case StopCause::kEngineLost:
      break;
  }
  return failed(
      "InternalServerError: the engine that ran this job ended and no other took the job over in "
      "time, so it was stopped. Please try again.");
}

// A host that neither succeeded nor failed by itself, though nobody asked for a stop.
const Instance* unexplained_end(const TrainingJob& job) {
  const bool done = primaries_done(job).has_value();
  for (const Instance& instance : job.instances) {
    if (!instance.exit) return &instance;
    if (!succeeded(*instance.exit) && !(done && !is_primary(job, instance))) return &instance;
  }
  return nullptr;
}

bool ended_by_itself(const Instance& instance) {
  return instance.exit && succeeded(*instance.exit) && !instance.exit->stopped_by_us;
}

}  // namespace

const Instance* first_failure(const TrainingJob& job) {
  const std::optional<WallTime> done = primaries_done(job);
  const std::optional<WallTime> stop = stop_time(job);
  const Instance* first = nullptr;
  for (const Instance& instance : job.instances) {
    if (!instance.exit || succeeded(*instance.exit) || instance.exit->stopped_by_us) continue;
    if (stop && instance.exit->time > *stop) continue;
    if (done && !is_primary(job, instance) && instance.exit->time >= *done) continue;
    if (!first || instance.exit->time < first->exit->time) first = &instance;
  }
  return first;
}

EndingDecision decide_ending(const TrainingJob& job) {
  bool primary_runs = false;
  bool any_runs = false;
  bool any_was_stopped = false;
  for (const Instance& instance : job.instances) {
    any_runs = any_runs || !instance.exit;
    primary_runs = primary_runs || (!instance.exit && is_primary(job, instance));
    any_was_stopped = any_was_stopped || (instance.exit && instance.exit->stopped_by_us);
  }
  if (!any_runs) return EndingDecision::kCollect;
  if (job.stop || any_was_stopped || !primary_runs || first_failure(job))
    return EndingDecision::kStopRest;
  return EndingDecision::kKeepRunning;
}

Ended decide_outcome(const TrainingJob& job) {
  if (const Instance* instance = first_failure(job)) return failed(failure_text(job, *instance));
  if (job.stop) {
    // What had succeeded before a stop that no user asked for stays a success.
    const bool success = job.stop->cause != StopCause::kUser && !job.instances.empty() &&
                         std::ranges::all_of(job.instances, ended_by_itself);
    if (!success) return outcome_of_stop(job);
  }
  if (job.instances.empty())
    return failed("InternalServerError: the job ended before it had any instance.");
  if (const Instance* instance = unexplained_end(job)) {
    if (instance->exit) return failed(failure_text(job, *instance));
    return failed("InternalServerError: " + where(job, *instance) + " vanished without an exit.");
  }
  return {};
}

}  // namespace evener::jobs
