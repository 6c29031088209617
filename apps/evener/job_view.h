// How a person or a program sees a job while it runs: a live table on a terminal, plain lines
// elsewhere, one JSON object a line for programs.
//
// Used by:  train.
// Threads:  one.
// Fails:    never; what cannot be written is lost.
#pragma once

#include <memory>

#include "base/clock.h"
#include "evener/job_source.h"
#include "evener/options.h"
#include "evener/summary.h"

namespace evener::app {

class JobView {
 public:
  virtual ~JobView() = default;
  virtual void show(const JobUpdate& update, const jobs::TrainingJob& job) = 0;
  virtual void finish(const JobSummary& summary) = 0;
};

// Standard output decides: JSON if asked for, a live table on a terminal, else plain lines.
// `machine_cpus`: of the machine that the job runs on; 0: not known.
std::unique_ptr<JobView> make_job_view(OutputForm form, double machine_cpus, const Clock& clock);

std::unique_ptr<JobView> make_plain_view();
std::unique_ptr<JobView> make_json_view();
std::unique_ptr<JobView> make_live_view(double machine_cpus, const Clock& clock);

// "algo-1 (data_group) | text", safe for a terminal.
std::string line_text(const HostLine& line);
// One line about what an event means to a person; "" for events that need none.
std::string event_text(const jobs::JobEvent& event, const jobs::TrainingJob& job);

// One JSON object: {"event":"log",...}, {"event":"status",...}, ...
std::string line_json(const HostLine& line, const std::string& job);
std::string event_json(const jobs::JobEvent& event, const jobs::TrainingJob& job);
std::string live_json(const metrics::Sample& sample, const std::string& job);
std::string live_json(const metrics::Progress& progress, const std::string& job);

// Writes all of `text` to standard output.
void print(std::string_view text);
// `code`, or kExitFailed with a word on standard error where standard output took not all of what
// was printed, though someone reads it: a full disk.
int exit_code_with_output(int code);

}  // namespace evener::app
