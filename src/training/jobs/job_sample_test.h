// Jobs for tests that do not care what is in them, as the engine hands them to a backend.
//
// Used by:  tests of this module and of those above it.
// Threads:  values.
// Fails:    aborts the test program if the sample is no job.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "training/jobs/jobs.h"

namespace evener::jobs {

inline JobSpec sample_spec(const std::string& name,
                           const std::vector<std::pair<std::string, int>>& groups) {
  JobSpec spec;
  spec.name = name;
  spec.output_uri = "file:///tmp/none";
  for (const auto& [group, count] : groups) {
    InstanceGroup one;
    one.name = group;
    one.instance_type = "ml.c5.xlarge";
    one.count = count;
    one.shape.vcpus = 4;
    spec.groups.push_back(one);
  }
  spec.heterogeneous = groups.size() > 1;
  spec.request_json = "{}";
  return spec;
}

// With its instances placed.
inline TrainingJob launched(const JobSpec& spec, WallTime now) {
  auto job = create({.job = spec.name,
                     .time = now,
                     .journal_position = 0,
                     .change = Submitted{.spec = spec, .arn = "arn:test"}});
  CHECK(job.has_value(), "the sample is a job");
  const Status applied =
      apply(*job, {.job = spec.name,
                       .time = now,
                       .journal_position = 0,
                       .change = Launching{.instances = place_instances(spec)}});
  CHECK(applied.has_value(), "the sample can be launched");
  return std::move(*job);
}

}  // namespace evener::jobs
