#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/ids.h"
#include "training/jobs/jobs.h"

namespace evener::jobs {

std::vector<InstancePlacement> place_instances(const JobSpec& spec) {
  std::vector<int> groups;
  for (std::size_t group = 0; group < spec.groups.size(); ++group)
    for (int i = 0; i < spec.groups[group].count; ++i) groups.push_back(static_cast<int>(group));

  if (spec.shuffle_hosts_seed) {
    SeededRandom random(*spec.shuffle_hosts_seed);
    for (std::size_t left = groups.size(); left > 1; --left)
      std::swap(groups[left - 1], groups[random.below(left)]);
  }

  std::vector<InstancePlacement> placed;
  placed.reserve(groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i)
    placed.push_back({.host = "algo-" + std::to_string(i + 1), .group = groups[i]});
  return placed;
}

std::vector<InstancePlacement> placements_of(const TrainingJob& job) {
  if (job.instances.empty()) return place_instances(job.spec);
  std::vector<InstancePlacement> placements;
  for (const Instance& instance : job.instances) placements.push_back(instance.placement);
  return placements;
}

const InstanceGroup& group_of(const JobSpec& spec, const InstancePlacement& placement) {
  return spec.groups.at(static_cast<std::size_t>(placement.group));
}

const InstanceGroup& group_of(const TrainingJob& job, std::string_view host) {
  const auto instance = std::ranges::find(
      job.instances, host, [](const Instance& one) { return one.placement.host; });
  CHECK(instance != job.instances.end(), "a host of the job");
  return group_of(job.spec, instance->placement);
}

}  // namespace evener::jobs
