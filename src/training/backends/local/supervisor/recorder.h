// The facts of one job as its supervisor learns them: each is applied to the supervisor's own
// view of the job, written to the journal, and handed to whoever listens.
//
// Used by:  all steps of the supervisor.
// Threads:  one.
// Fails:    never. A fact that the job's state does not allow is a bug: logged, and left out so
//           that the journal stays applicable.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "training/backends/local/job_folder/job_folder.h"
#include "training/jobs/jobs.h"

namespace evener::backends {

class Recorder {
 public:
  // Called with the event's JSON after it was handed to the journal.
  using Listener = std::function<void(const std::string& json)>;

  // `job` as launched; what the journal already holds is applied to it.
  Recorder(jobs::TrainingJob job, JournalWriter& journal, const Clock& clock);

  void listen(Listener listener) { listener_ = std::move(listener); }
  void record(jobs::JobChange change);

  const jobs::TrainingJob& job() const { return job_; }
  // Records by position: records()[0] has position 1.
  const std::vector<std::string>& records() const { return records_; }

 private:
  jobs::TrainingJob job_;
  JournalWriter& journal_;
  const Clock& clock_;
  std::vector<std::string> records_;
  Listener listener_;
};

}  // namespace evener::backends
