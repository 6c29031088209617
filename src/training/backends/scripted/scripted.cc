#include "training/backends/scripted/scripted.h"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "training/backends/scripted/scripted_run.h"

namespace evener::backends {
namespace {

using jobs::TrainingJob;

jobs::Ended vanished() {
  return {.status = jobs::JobStatus::kFailed,
          .secondary = jobs::SecondaryStatus::kFailed,
          .failure_reason = "InternalServerError: the job's supervisor vanished."};
}

// A journal outlives its job's release, because an engine may die before it has committed the
// end and then adopts the job again. Of older jobs nothing is kept.
constexpr std::size_t kKeptJournals = 64;

// A run and how much of its journal the connected engine has seen.
struct Supervised {
  ScriptedRun run;
  bool connected = true;
  std::size_t posted = 0;
  bool loss_posted = false;
};

class Scripted final : public ScriptedBackend {
 public:
  Scripted(const Clock& clock, EventSink sink) : clock_(clock), sink_(std::move(sink)) {}

  Status start(const TrainingJob& job) override {
    auto script = script_of(job.spec);
    if (!script) return tl::unexpected<Error>(script.error());
    if (!script->start_error.empty())
      return failure(ErrorCode::kUnavailable, script->start_error);
    runs_.erase(job.spec.name);
    runs_.emplace(job.spec.name, Supervised{.run = ScriptedRun(job, std::move(*script), clock_)});
    return ok();
  }

  Status adopt(const TrainingJob& job) override {
    const auto found = runs_.find(job.spec.name);
    if (found == runs_.end() || !found->second.run.is_of(job))
      return failure(ErrorCode::kNotFound, "job " + job.spec.name + " was never started");
    found->second.connected = true;
    found->second.posted = static_cast<std::size_t>(job.imported_position);
    found->second.loss_posted = false;
    post(found->first, found->second);
    return ok();
  }

  void stop(const std::string& job, StopMode mode) override {
    const auto found = runs_.find(job);
    if (found == runs_.end()) return;
    found->second.run.stop(jobs::StopCause::kUser, mode);
    post(job, found->second);
  }

  Status release(const TrainingJob& job) override {
    released_.push_back(job.spec.name);
    if (released_.size() <= kKeptJournals) return ok();
    const auto oldest = runs_.find(released_.front());
    if (oldest != runs_.end() && !oldest->second.run.next_due()) runs_.erase(oldest);
    released_.pop_front();
    return ok();
  }

  void advance() override {
    for (auto& [name, supervised] : runs_) {
      supervised.run.advance();
      post(name, supervised);
    }
  }

  std::optional<MonotonicTime> next_due() const override {
    std::optional<MonotonicTime> next;
    for (const auto& [name, supervised] : runs_)
      if (const auto due = supervised.run.next_due()) next = std::min(next.value_or(*due), *due);
    return next;
  }

  void reconnect(EventSink sink) override {
    sink_ = std::move(sink);
    for (auto& [name, supervised] : runs_) supervised.connected = false;
  }

 private:
  void post(const std::string& name, Supervised& supervised) {
    if (!supervised.connected) return;
    const auto& journal = supervised.run.journal();
    while (supervised.posted < journal.size()) sink_(journal[supervised.posted++]);
    if (!supervised.run.crashed() || supervised.loss_posted) return;
    supervised.loss_posted = true;
    sink_({name, clock_.wall_now(), 0, vanished()});
  }

  const Clock& clock_;
  EventSink sink_;
  std::map<std::string, Supervised> runs_;
  std::deque<std::string> released_;  // oldest first
};

}  // namespace

std::unique_ptr<ScriptedBackend> make_scripted_backend(const Clock& clock, EventSink sink) {
  return std::make_unique<Scripted>(clock, std::move(sink));
}

}  // namespace evener::backends
