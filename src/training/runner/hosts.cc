#include "training/runner/hosts.h"

#include <algorithm>

#include "base/check.h"

namespace evener::runner {

JobHosts hosts_of(const jobs::TrainingJob& job, const InstanceFacts& facts) {
  JobHosts hosts;
  for (const jobs::InstanceGroup& group : job.spec.groups)
    hosts.groups.push_back({.name = group.name, .instance_type = group.instance_type, .hosts = {}});
  for (const jobs::InstancePlacement& placement : placements_of(job)) {
    const auto reachable = facts.reachable_names.find(placement.host);
    const std::string& name =
        reachable != facts.reachable_names.end() ? reachable->second : placement.host;
    hosts.all.push_back(name);
    const auto group = static_cast<std::size_t>(placement.group);
    hosts.groups.at(group).hosts.push_back(name);
    if (placement.host != facts.host) continue;
    hosts.current = name;
    hosts.current_group = group;
    hosts.current_number = hosts.all.size();
  }
  CHECK(!hosts.current.empty(), "the facts name a host of the job");
  return hosts;
}

std::vector<const jobs::Channel*> channels_of_host(const jobs::TrainingJob& job,
                                                   const std::string& host) {
  std::vector<const jobs::Channel*> channels;
  for (const jobs::InstancePlacement& placement : placements_of(job)) {
    if (placement.host != host) continue;
    const std::string& group = jobs::group_of(job.spec, placement).name;
    for (const jobs::Channel& channel : job.spec.channels) {
      const auto& names = channel.groups;
      if (names.empty() || std::find(names.begin(), names.end(), group) != names.end())
        channels.push_back(&channel);
    }
  }
  return channels;
}

}  // namespace evener::runner
