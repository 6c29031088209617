// A job told event by event, for tests of jobs.
//
// Used by:  tests.
// Threads:  one.
// Fails:    aborts the test program on an event that the job refuses.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "training/jobs/jobs.h"

namespace evener::jobs {

struct GroupPlan {
  std::string name;
  int count = 1;
  bool auxiliary = false;
};

class JobStory {
 public:
  explicit JobStory(const std::vector<GroupPlan>& groups = {{"data_group", 2}, {"dnn_group", 1}}) {
    JobSpec spec{.name = "story"};
    for (const GroupPlan& group : groups)
      spec.groups.push_back({.name = group.name,
                             .instance_type = "ml.c5.xlarge",
                             .count = group.count,
                             .shape = {.vcpus = 4, .memory_gib = 8},
                             .auxiliary = group.auxiliary});
    job = create(event(Submitted{.spec = std::move(spec), .arn = "arn"})).value();
  }

  JobEvent event(JobChange change) { return {"story", from_millis(now_ms), 0, std::move(change)}; }
  // One second later, `change` happens.
  Status tell(JobChange change) {
    now_ms += 1000;
    return apply(job, event(std::move(change)));
  }
  JobStory& then(JobChange change) {
    const Status status = tell(std::move(change));
    CHECK(status.has_value(), status.has_value() ? "" : status.error().message);
    return *this;
  }
  JobStory& launched() { return then(Launching{place_instances(job.spec)}); }
  JobStory& training() {
    return launched().then(StagingStarted{}).then(ChannelsStaged{}).then(TrainingStarted{});
  }
  JobStory& exits(const std::string& host, InstanceExit exit) {
    now_ms += 1000;
    exit.time = from_millis(now_ms);
    const Status status = apply(job, event(InstanceExited{host, std::move(exit)}));
    CHECK(status.has_value(), "a legal exit");
    return *this;
  }
  std::vector<SecondaryStatus> path() const {
    std::vector<SecondaryStatus> statuses;
    for (const Transition& transition : job.transitions) statuses.push_back(transition.status);
    return statuses;
  }

  std::int64_t now_ms = 1'000'000;
  TrainingJob job;
};

}  // namespace evener::jobs
