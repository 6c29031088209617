// Where jobs are, as the views see it: in a home on this machine, or behind a server. Views know
// no other difference.
//
// Used by:  train, jobs list, show, logs, stop, delete.
// Threads:  one at a time; StopOnSignal has one of its own.
// Fails:    open: the home's errors, or the server's, which are the user's to mend (kExitUsage);
//           kNotFound where a home has no jobs yet. find(), follow(): kNotFound for an unknown job.
//           A server that is lost is kUnavailable, once patience is over.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "advice/cost/cost.h"
#include "base/clock.h"
#include "evener/options.h"
#include "training/following/following.h"
#include "training/store/store.h"

namespace evener::app {

using following::HostLine;
using following::JobUpdate;

// What is new of one job, from its first event on.
class JobFeed {
 public:
  virtual ~JobFeed() = default;
  virtual Result<JobUpdate> poll() = 0;
  // Called after an empty update: waits a little, or makes the next poll() wait for news.
  virtual void rest() = 0;
};

enum class Stop { kWithGrace, kAtOnce };

class JobSource {
 public:
  virtual ~JobSource() = default;
  virtual Result<jobs::TrainingJob> find(const std::string& name) = 0;
  virtual Result<std::vector<jobs::TrainingJob>> list(const store::ListFilter& filter) = 0;
  // Of the newest jobs, to tell what a wrong name may have meant.
  virtual Result<std::vector<std::string>> names() = 0;
  virtual Result<std::unique_ptr<JobFeed>> follow(const std::string& name) = 0;
  virtual Status stop(const jobs::TrainingJob& job, Stop how) = 0;
  // With its folder; results stay.
  virtual Status remove(const jobs::TrainingJob& job) = 0;
  virtual Result<cost::JobCost> cost_of(const jobs::TrainingJob& job, const std::string& region) = 0;
  // Of the machine that the jobs run on; 0: not known.
  virtual double machine_cpus() const = 0;
  // Makes sure that someone carries the jobs on.
  virtual Status attend() = 0;
};

// The server that was asked for, else the home.
Result<std::unique_ptr<JobSource>> open_jobs(const SharedOptions& options, const Clock& clock);

// The job, or what else the user may have meant.
Result<jobs::TrainingJob> find_job(JobSource& source, const std::string& name);

}  // namespace evener::app
