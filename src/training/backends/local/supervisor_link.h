// One running job as the engine sees it: reads its supervisor's events, notices its death, finds
// it again, and imports the journal of one that is gone.
//
// Used by:  RunningJobs.
// Threads:  one, that of RunningJobs.
// Fails:    never: a job whose supervisor is gone without a word ends as Failed.
#pragma once

#include <poll.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "os/file_system.h"
#include "os/process.h"
#include "os/socket.h"
#include "training/backends/local/launch.h"
#include "training/backends/local/local.h"

namespace evener::backends {

// What all jobs of one backend share.
struct BackendParts {
  const LocalOptions& options;
  os::FileSystem& files;
  const Clock& clock;
  const EventSink& sink;
};

class SupervisorLink {
 public:
  // A job that was just handed to a new supervisor.
  SupervisorLink(const BackendParts& parts, jobs::TrainingJob job, LaunchedSupervisor supervisor);
  // A job of an earlier engine; the first turn looks for its supervisor.
  SupervisorLink(const BackendParts& parts, jobs::TrainingJob job);

  const std::string& name() const { return job_.spec.name; }
  void add_descriptors(std::vector<pollfd>& polled) const;
  // Does all that is possible now.
  void turn();
  // When turn() is due though no descriptor is ready.
  std::optional<MonotonicTime> next_try() const;
  void stop(StopMode mode);
  // The end was posted and nothing is left to be waited for.
  bool finished() const { return ended_ && !child_; }

 private:
  void read_events();
  void take_line(const std::string& line);
  bool process_gone();
  void look_for_supervisor();
  bool attach();
  void retry_later();
  bool was_handed_over() const;
  bool has_begun() const;
  void start_anew();
  void import_journal();
  void post_lost_end(const std::string& text);
  void post(jobs::JobEvent event);

  const BackendParts& parts_;
  jobs::TrainingJob job_;                  // as it was handed over
  JobFolder folder_;
  std::uint64_t next_position_ = 1;
  std::optional<os::LineConnection> connection_;
  std::unique_ptr<os::Process> child_;     // a supervisor of our own
  os::UniqueFd found_;                     // pidfd of one that an earlier engine started
  std::optional<StopMode> unsent_stop_;
  std::optional<MonotonicTime> try_at_;
  int tries_ = 0;
  int locked_tries_ = 0;
  bool may_start_ = false;                 // nothing of it is known yet but its launch
  bool ended_ = false;
};

}  // namespace evener::backends
