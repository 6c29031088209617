// The phase in which the user's program runs on every host: ends when none runs any more. A host's
// failure, the end of all primary groups or a stop ends the rest: SIGTERM, the job's grace, SIGKILL.
//
// Used by:  JobSteps.
// Threads:  one, the supervisor's.
// Fails:    never; what hosts do wrong is recorded as their exits.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "training/backends/local/supervisor/phase.h"
#include "training/backends/local/supervisor/recorder.h"
#include "training/backends/local/supervisor/sampler.h"

namespace evener::backends {

// The end of what a host's program printed.
using LastWordsOf = std::function<std::string(const std::string& host)>;

class TrainPhase final : public Phase {
 public:
  // Begins now: TrainingStarted was recorded.
  TrainPhase(Recorder& recorder, sandbox::Sandbox& instances, Sampler& sampler,
             const Clock& clock, LastWordsOf last_words);

  bool done() const override;
  // What is being stopped already ends within its grace.
  bool stoppable() const override { return !kill_at_ && !killed_; }
  void stop(StopMode mode) override;
  void host_event(const sandbox::HostEvent& event) override;
  void tick() override;
  std::optional<MonotonicTime> next_tick() const override;

 private:
  jobs::InstanceExit exit_of(const sandbox::HostEvent& event) const;
  std::string script_error(int exit_code, const std::string& host) const;
  bool runs(const std::string& host) const;
  void stop_rest(StopMode mode);
  void kill_rest();

  Recorder& recorder_;
  sandbox::Sandbox& instances_;
  Sampler& sampler_;
  const Clock& clock_;
  const LastWordsOf last_words_;
  std::set<std::string> signalled_;            // hosts that were told to stop
  std::optional<MonotonicTime> kill_at_;       // the end of the grace
  bool killed_ = false;
};

}  // namespace evener::backends
