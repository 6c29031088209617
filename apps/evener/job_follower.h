// Follows one job of a source: what is new, and the job as it then is.
//
// Used by:  train, jobs logs.
// Threads:  one.
// Fails:    open() with kNotFound; poll() with the source's error.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "evener/job_source.h"

namespace evener::app {

class JobFollower {
 public:
  // Starts with the job's first event.
  static Result<std::unique_ptr<JobFollower>> open(JobSource& source, const std::string& job);

  // What is new. Once the job has ended and an update is empty, everything has been seen.
  Result<JobUpdate> poll();
  void rest() { feed_->rest(); }
  const jobs::TrainingJob& job() const { return job_; }

 private:
  JobFollower(std::unique_ptr<JobFeed> feed, jobs::TrainingJob job, JobUpdate first)
      : feed_(std::move(feed)), job_(std::move(job)), first_(std::move(first)) {}

  const std::unique_ptr<JobFeed> feed_;
  jobs::TrainingJob job_;
  std::optional<JobUpdate> first_;
};

}  // namespace evener::app
