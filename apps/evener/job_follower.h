// Follows one job of a home from outside its engine: new events, new log lines, new samples.
//
// Used by:  train, logs --follow.
// Threads:  one.
// Fails:    poll() with the store's error; logs that do not exist yet are no error.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "evener/home.h"
#include "training/jobs/jobs.h"
#include "training/logs/logs.h"
#include "training/metrics/metrics.h"
#include "training/store/store.h"

namespace evener::app {

struct HostLine {
  std::string host;
  std::string group;
  logs::LogLine line;
};

struct JobUpdate {
  std::vector<jobs::JobEvent> events;
  std::vector<HostLine> lines;            // by host, in order within a host
  metrics::Live live;
  bool empty() const {
    return events.empty() && lines.empty() && live.samples.empty() && live.progress.empty();
  }
};

class JobFollower {
 public:
  // Starts with the job's first event.
  static Result<std::unique_ptr<JobFollower>> open(const Home& home, store::Store& store,
                                                   const std::string& job);

  // What is new. Once the job has ended and an update is empty, everything has been seen.
  Result<JobUpdate> poll();
  const jobs::TrainingJob& job() const { return job_; }

 private:
  JobFollower(const Home& home, store::Store& store, jobs::TrainingJob job, std::int64_t row);
  Status read_events(JobUpdate& update);
  void read_lines(JobUpdate& update);

  const Home home_;
  store::Store& store_;
  jobs::TrainingJob job_;
  std::int64_t row_;
  std::vector<jobs::JobEvent> first_events_;
  std::map<std::string, std::unique_ptr<logs::LogReader>> readers_;
  metrics::SampleReader samples_;
};

}  // namespace evener::app
