#include <utility>

#include "base/ids.h"
#include "training/jobs/spec.h"

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

}  // namespace evener::jobs
