// One job of the scripted backend: what a supervisor would do, on a clock that stands still
// between calls. Private to scripted.
//
// Used by:  scripted.
// Threads:  one.
// Fails:    never; every step appends to a journal that outlives the engine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "training/backends/backends.h"
#include "training/backends/scripted/script.h"
#include "training/jobs/jobs.h"

namespace evener::backends {

class ScriptedRun {
 public:
  ScriptedRun(const jobs::TrainingJob& job, Script script, const Clock& clock);

  // Does all that is due now.
  void advance();
  // When something is due next; nothing once ended or crashed.
  std::optional<MonotonicTime> next_due() const;
  void stop(jobs::StopCause cause, StopMode mode);

  // Whether this runs `job`, not a deleted one of the same name.
  bool is_of(const jobs::TrainingJob& job) const {
    return job_.arn == job.arn && job_.created == job.created;
  }

  // What survives the engine, and whether it stops short because the supervisor vanished.
  const std::vector<jobs::JobEvent>& journal() const { return journal_; }
  bool crashed() const { return crashed_; }

 private:
  enum class Step { kStage, kTrain, kExit, kMaxRuntime, kKill, kFinish, kCrash };
  struct Due {
    MonotonicTime at;
    Step step;
    std::string host{};
  };

  void schedule(std::chrono::milliseconds in, Step step, std::string host = "");
  void take(const Due& due);
  void stage();
  void train();
  enum class EndedBy { kItself, kUs };
  void exit_host(const std::string& host, int code, EndedBy ended_by);
  // Acts on jobs::decide_ending after some hosts have ended.
  void follow_endings();
  void terminate_rest();
  void end_rest(int code);
  void collect();
  void finish();
  void write(jobs::JobChange change);

  const Script script_;
  const Clock& clock_;
  jobs::TrainingJob job_;            // as the journal tells it
  std::vector<jobs::JobEvent> journal_;
  std::vector<Due> due_;
  bool terminating_ = false;
  bool crashed_ = false;
};

}  // namespace evener::backends
