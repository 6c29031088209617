#include "training/backends/local/supervisor/train_phase.h"

#include <algorithm>
#include <csignal>

#include "base/log.h"
#include "training/backends/local/job_folder/job_folder.h"
#include "training/runner/runner.h"

namespace evener::backends {
namespace {

constexpr int kKilledExitCode = 128 + SIGKILL;
// What a shell answers for a program that cannot be executed.
constexpr int kNotStartedExitCode = 127;

void warn(std::string_view what, const std::string& host, const Status& status) {
  if (status) return;
  log_line(LogLevel::kWarning, "local", what, {{"host", host}, {"error", status.error().message}});
}

}  // namespace

TrainPhase::TrainPhase(Recorder& recorder, sandbox::Sandbox& instances, Sampler& sampler,
                       const Clock& clock, LastWordsOf last_words)
    : recorder_(recorder),
      instances_(instances),
      sampler_(sampler),
      clock_(clock),
      last_words_(std::move(last_words)) {}

bool TrainPhase::done() const {
  return jobs::decide_ending(recorder_.job()) == jobs::EndingDecision::kCollect;
}

void TrainPhase::host_event(const sandbox::HostEvent& event) {
  if (!runs(event.host)) return;
  sampler_.end(event.host);
  recorder_.record(jobs::InstanceExited{.host = event.host, .exit = exit_of(event)});
  if (jobs::decide_ending(recorder_.job()) == jobs::EndingDecision::kStopRest) {
    stop_rest(StopMode::kGraceful);
  }
}

void TrainPhase::stop(StopMode mode) { stop_rest(mode); }

void TrainPhase::tick() {
  sampler_.tick();
  const MonotonicTime now = clock_.monotonic_now();
  if (kill_at_ && now >= *kill_at_) kill_rest();
}

std::optional<MonotonicTime> TrainPhase::next_tick() const {
  std::optional<MonotonicTime> next = sampler_.next_tick();
  const auto take = [&next](MonotonicTime time) { next = next ? std::min(*next, time) : time; };
  if (kill_at_) take(*kill_at_);
  return next;
}

jobs::InstanceExit TrainPhase::exit_of(const sandbox::HostEvent& event) const {
  using Kind = sandbox::HostEvent::Kind;
  jobs::InstanceExit exit{.exit_code = event.exit_code,
                          .signal = event.signal,
                          .out_of_memory = event.out_of_memory,
                          .stopped_by_us = signalled_.contains(event.host),
                          .failure_text = "",
                          .start_error = "",
                          .time = clock_.wall_now()};
  if (event.kind == Kind::kStartFailed) {
    exit.exit_code = kNotStartedExitCode;
    exit.start_error = event.text.empty() ? "the program could not be started" : event.text;
    return exit;
  }
  if (event.kind == Kind::kInstanceLost) {
    exit.exit_code = kKilledExitCode;
    exit.signal = SIGKILL;
  }
  if (exit.exit_code != 0) exit.failure_text = read_failure_text(instances_.ml_folder(event.host));
  if (event.kind == Kind::kInstanceLost && exit.failure_text.empty()) {
    exit.failure_text = event.text.empty() ? "the instance's init was killed" : event.text;
  }
  if (exit.exit_code != 0 && exit.failure_text.empty() && !exit.out_of_memory)
    exit.failure_text = script_error(exit.exit_code, event.host);
  return exit;
}

// As the training toolkit words it; without the toolkit the exit code has to do.
std::string TrainPhase::script_error(int exit_code, const std::string& host) const {
  if (!runner::uses_script_mode(recorder_.job().spec)) return "";
  const std::string words = last_words_(host);
  if (words.empty()) return "";
  return "ExecuteUserScriptError:\nExitCode " + std::to_string(exit_code) + "\nErrorMessage \"" +
         words + "\"";
}

bool TrainPhase::runs(const std::string& host) const {
  return std::ranges::any_of(recorder_.job().instances, [&](const jobs::Instance& instance) {
    return instance.placement.host == host && !instance.exit;
  });
}

void TrainPhase::stop_rest(StopMode mode) {
  const std::chrono::seconds grace = recorder_.job().spec.stop_grace;
  if (mode == StopMode::kAtOnce || grace.count() <= 0) {
    kill_rest();
    return;
  }
  if (kill_at_ || killed_) return;
  kill_at_ = clock_.monotonic_now() + grace;
  for (const jobs::Instance& instance : recorder_.job().instances) {
    if (instance.exit) continue;
    signalled_.insert(instance.placement.host);
    warn("SIGTERM failed", instance.placement.host,
         instances_.signal(instance.placement.host, SIGTERM));
  }
}

void TrainPhase::kill_rest() {
  kill_at_.reset();
  killed_ = true;
  for (const jobs::Instance& instance : recorder_.job().instances) {
    if (instance.exit) continue;
    signalled_.insert(instance.placement.host);
    warn("SIGKILL failed", instance.placement.host, instances_.kill(instance.placement.host));
  }
}

}  // namespace evener::backends
