#include "training/backends/scripted/scripted_run.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace evener::backends {
namespace {

constexpr int kSigterm = 15;
constexpr int kSigkill = 9;
constexpr int kSignalBase = 128;

}  // namespace

ScriptedRun::ScriptedRun(const jobs::TrainingJob& job, Script script, const Clock& clock)
    : script_(std::move(script)), clock_(clock), job_(job) {
  schedule({}, Step::kStage);
  if (script_.crash_after.count() >= 0) schedule(script_.crash_after, Step::kCrash);
}

void ScriptedRun::advance() {
  while (!due_.empty()) {
    const auto first = std::ranges::min_element(due_, {}, &Due::at);  // of equals the oldest
    if (first->at > clock_.monotonic_now()) return;
    const Due due = *first;
    due_.erase(first);
    take(due);
  }
}

std::optional<MonotonicTime> ScriptedRun::next_due() const {
  if (due_.empty()) return std::nullopt;
  return std::ranges::min_element(due_, {}, &Due::at)->at;
}

void ScriptedRun::stop(jobs::StopCause cause, StopMode mode) {
  if (crashed_ || job_.ended()) return;
  write(jobs::StopRequested{.cause = cause, .at_once = mode == StopMode::kAtOnce});
  if (mode == StopMode::kAtOnce) end_rest(kSignalBase + kSigkill);
  follow_endings();
}

void ScriptedRun::schedule(std::chrono::milliseconds in, Step step, std::string host) {
  due_.push_back({clock_.monotonic_now() + in, step, std::move(host)});
}

void ScriptedRun::take(const Due& due) {
  switch (due.step) {
    case Step::kStage:
      return stage();
    case Step::kTrain:
      return train();
    case Step::kExit: {
      const bool fails = script_.fail_host.empty() || script_.fail_host == due.host;
      exit_host(due.host, fails ? script_.exit_code : 0, EndedBy::kItself);
      return follow_endings();
    }
    case Step::kMaxRuntime:
      if (job_.secondary == jobs::SecondaryStatus::kUploading) return;  // nothing runs any more
      return stop(jobs::StopCause::kMaxRuntime, StopMode::kGraceful);
    case Step::kKill:
      end_rest(kSignalBase + kSigkill);
      return follow_endings();
    case Step::kFinish:
      return finish();
    case Step::kCrash:
      crashed_ = true;
      return due_.clear();
  }
}

void ScriptedRun::stage() {
  if (job_.stop) return;  // stopped before anything was made
  write(jobs::StatusMessageChanged{"Preparing the instances for training"});
  write(jobs::StagingStarted{});
  schedule(job_.spec.max_runtime, Step::kMaxRuntime);
  schedule(script_.staging, Step::kTrain);
}

void ScriptedRun::train() {
  if (job_.stop) return;
  write(jobs::ChannelsStaged{});
  write(jobs::TrainingStarted{});
  const auto& groups = job_.spec.groups;
  const bool all_auxiliary =
      std::ranges::all_of(groups, [](const auto& group) { return group.auxiliary; });
  for (const jobs::Instance& instance : job_.instances) {
    const auto group = static_cast<std::size_t>(instance.placement.group);
    if (all_auxiliary || !groups[group].auxiliary)  // auxiliary hosts serve until they are stopped
      schedule(script_.run_for, Step::kExit, instance.placement.host);
  }
}

void ScriptedRun::exit_host(const std::string& host, int code, EndedBy ended_by) {
  const bool stopped_by_us = ended_by == EndedBy::kUs;
  for (const jobs::Instance& instance : job_.instances)
    if (instance.placement.host == host && !instance.exit)
      return write(jobs::InstanceExited{
          .host = host,
          .exit = {.exit_code = code,
                   .signal = stopped_by_us && code > kSignalBase ? code - kSignalBase : 0,
                   .stopped_by_us = stopped_by_us,
                   .time = clock_.wall_now()}});
}

void ScriptedRun::follow_endings() {
  if (job_.ended() || job_.secondary == jobs::SecondaryStatus::kUploading) return;
  if (jobs::decide_ending(job_) == jobs::EndingDecision::kStopRest) terminate_rest();
  if (jobs::decide_ending(job_) == jobs::EndingDecision::kCollect) collect();
}

void ScriptedRun::terminate_rest() {
  if (terminating_) return;
  terminating_ = true;
  if (script_.ignore_sigterm) return schedule(job_.spec.stop_grace, Step::kKill);
  end_rest(kSignalBase + kSigterm);
}

void ScriptedRun::end_rest(int code) {
  for (std::size_t i = 0; i < job_.instances.size(); ++i)
    exit_host(job_.instances[i].placement.host, code, EndedBy::kUs);
}

void ScriptedRun::collect() {
  write(jobs::UploadingStarted{});
  schedule(script_.uploading, Step::kFinish);
}

void ScriptedRun::finish() {
  write(jobs::ArtifactsStored{});
  std::vector<jobs::InstanceUsage> usage;
  for (const jobs::Instance& instance : job_.instances)
    usage.push_back({.host = instance.placement.host});
  write(jobs::UsageReported{std::move(usage)});
  write(jobs::decide_outcome(job_));
  due_.clear();
}

void ScriptedRun::write(jobs::JobChange change) {
  const jobs::JobEvent event{job_.spec.name, clock_.wall_now(), journal_.size() + 1,
                             std::move(change)};
  const Status status = jobs::apply(job_, event);
  CHECK(status.has_value(), status.has_value() ? "" : status.error().message);
  journal_.push_back(event);
}

}  // namespace evener::backends
