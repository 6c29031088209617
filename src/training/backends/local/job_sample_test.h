// Launched jobs for tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "training/jobs/jobs.h"

namespace evener::backends {

inline jobs::JobSpec sample_spec(const std::string& name,
                                 const std::vector<std::pair<std::string, int>>& groups) {
  jobs::JobSpec spec;
  spec.name = name;
  spec.output_uri = "file:///tmp/none";
  for (const auto& [group, count] : groups) {
    jobs::InstanceGroup one;
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

// As the engine hands it to a backend.
inline jobs::TrainingJob launched(const jobs::JobSpec& spec, WallTime now) {
  auto job = jobs::create({.job = spec.name,
                           .time = now,
                           .journal_position = 0,
                           .change = jobs::Submitted{.spec = spec, .arn = "arn:test"}});
  CHECK(job.has_value(), "the sample is a job");
  const Status applied =
      jobs::apply(*job, {.job = spec.name,
                         .time = now,
                         .journal_position = 0,
                         .change = jobs::Launching{.instances = jobs::place_instances(spec)}});
  CHECK(applied.has_value(), "the sample can be launched");
  return std::move(*job);
}

}  // namespace evener::backends
