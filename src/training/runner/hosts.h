// The hosts of a job as its programs see them.
//
// Used by:  runner.
// Threads:  pure functions.
// Fails:    CHECK where the facts name a host that the job does not have.
#pragma once

#include <string>
#include <vector>

#include "training/jobs/jobs.h"
#include "training/runner/runner.h"

namespace evener::runner {

struct GroupHosts {
  std::string name;
  std::string instance_type;
  std::vector<std::string> hosts;     // natural order
};

struct JobHosts {
  std::vector<std::string> all;       // natural order: algo-1, algo-2, ..., algo-10
  std::vector<GroupHosts> groups;     // order of the request
  std::string current;
  std::size_t current_group = 0;
  std::size_t current_number = 1;     // from 1
};
JobHosts hosts_of(const jobs::TrainingJob& job, const InstanceFacts& facts);

}  // namespace evener::runner
