#include "training/sandbox/plan.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "training/sandbox/limits.h"

namespace evener::sandbox {
namespace {

constexpr std::size_t kMostInstances = 1000;
constexpr std::size_t kMostServices = 32;
constexpr double kNiceFactor = 1.25;   // the kernel's: one nice level is 25 % of CPU time
constexpr int kMostNice = 19;

// Addresses of 127/8 that jobs side by side hardly share.
os::Ipv4 plain_address(const std::string& group_name, std::size_t index) {
  std::uint32_t hash = 2166136261U;
  for (const char c : group_name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  const std::uint32_t network = (127U << 24) | ((64 + hash % 128) << 16) | ((hash >> 8 & 0xff) << 8);
  return {network + 11 + static_cast<std::uint32_t>(index)};
}

std::string hosts_text(const SandboxOptions& options, const Subnet& subnet) {
  std::string text = "127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n";
  for (std::size_t i = 0; i < options.instances.size(); ++i) {
    text += os::to_string(instance_address(subnet, i)) + " " + options.instances[i].host + "\n";
  }
  return text + os::to_string(bridge_address(subnet)) + " " + std::string(kHostName) + "\n";
}

// Weights as nice levels: the heaviest instance keeps 0.
int nice_of(int weight, int heaviest) {
  const double levels = std::log(static_cast<double>(heaviest) / std::max(1, weight)) /
                        std::log(kNiceFactor);
  return std::min(kMostNice, static_cast<int>(std::lround(levels)));
}

ProcessLimits process_limits(const SandboxOptions& options, const InstanceOptions& instance,
                             const Machine& machine) {
  ProcessLimits limits;
  const auto& missing = machine.missing_controllers;
  if (missing.contains(os::Controller::kMemory)) limits.data_bytes = instance.memory_limit_bytes;
  if (missing.contains(os::Controller::kPids)) {
    // Counted over the whole user namespace, which all instances of the job share.
    limits.processes = instance.pids_limit * options.instances.size();
  }
  if (missing.contains(os::Controller::kCpu)) {
    int heaviest = 1;
    for (const InstanceOptions& other : options.instances) {
      heaviest = std::max(heaviest, other.cpu_weight);
    }
    limits.nice = nice_of(instance.cpu_weight, heaviest);
  }
  return limits;
}

}  // namespace

Machine this_machine(Rootness rootness, const std::map<os::Controller, std::string>& missing) {
  Machine machine;
  machine.rootness = rootness;
  machine.missing_controllers = missing;
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  if (::sched_getaffinity(0, sizeof cpus, &cpus) == 0) {
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(static_cast<std::size_t>(cpu), &cpus)) machine.cpus.push_back(cpu);
    }
  }
  machine.memory_bytes = static_cast<std::uint64_t>(std::max(1L, ::sysconf(_SC_PHYS_PAGES))) *
                         static_cast<std::uint64_t>(std::max(1L, ::sysconf(_SC_PAGESIZE)));
  return machine;
}

Status check_options(const SandboxOptions& options) {
  auto refuse = [](std::string why) { return failure(ErrorCode::kInvalidArgument, std::move(why)); };
  if (options.job.empty() || options.job.find('/') != std::string::npos) {
    return refuse("a sandbox needs a job name without '/'");
  }
  if (options.instances.empty() || options.instances.size() > kMostInstances) {
    return refuse("a sandbox holds 1 to " + std::to_string(kMostInstances) + " instances");
  }
  if (options.host_services.size() > kMostServices) {
    return refuse("a sandbox offers at most " + std::to_string(kMostServices) + " host services");
  }
  if (!options.folder.is_absolute()) return refuse("the sandbox's folder must be absolute");
  std::set<std::string> hosts;
  for (const InstanceOptions& instance : options.instances) {
    const bool plain_name =
        !instance.host.empty() && instance.host.size() <= 63 &&
        std::all_of(instance.host.begin(), instance.host.end(), [](char c) {
          return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                 c == '-';
        });
    if (!plain_name) return refuse("not a host name: '" + instance.host + "'");
    if (!hosts.insert(instance.host).second) return refuse(instance.host + " stands twice");
  }
  return ok();
}

std::vector<int> choose_cpus(const std::vector<int>& machine, std::size_t begin, int visible) {
  if (visible < 1 || static_cast<std::size_t>(visible) >= machine.size()) return {};
  std::vector<int> chosen;
  for (std::size_t i = 0; i < static_cast<std::size_t>(visible); ++i) {
    chosen.push_back(machine[(begin + i) % machine.size()]);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

std::vector<InstancePlan> plan_instances(const SandboxOptions& options, const Machine& machine,
                                         const Subnet& subnet, Outside outside) {
  const std::string group = job_group_name(options.job, options.folder);
  std::vector<InstancePlan> plans;
  std::size_t next_cpu = 0;
  for (std::size_t i = 0; i < options.instances.size(); ++i) {
    const InstanceOptions& instance = options.instances[i];
    InstancePlan plan;
    plan.host = instance.host;
    plan.isolation = options.isolation;
    plan.rootness = machine.rootness;
    plan.marker = "EVENER_SANDBOX=" + group + "/" + instance.host;
    plan.ml_folder = options.folder / instance.host / "ml";
    plan.hosts_text = hosts_text(options, subnet);
    plan.address = options.isolation == Isolation::kPlain ? plain_address(group, i)
                                                          : instance_address(subnet, i);
    plan.prefix_bits = subnet.prefix_bits;
    if (outside == Outside::kThroughUplink) {
      plan.gateway = gateway_address(subnet);
      plan.resolver_text = "nameserver " + os::to_string(name_server_address(subnet)) + "\n";
    }
    plan.cpus = choose_cpus(machine.cpus, next_cpu, instance.visible_cpus);
    plan.visible_cpus = std::max(1, instance.visible_cpus);
    next_cpu += static_cast<std::size_t>(plan.visible_cpus);
    plan.memory_bytes =
        instance.memory_limit_bytes > 0 ? instance.memory_limit_bytes : machine.memory_bytes;
    plan.masked_paths = options.masked_paths;
    plan.limits = process_limits(options, instance, machine);
    plans.push_back(std::move(plan));
  }
  return plans;
}

std::vector<std::string> limit_notices(const std::map<os::Controller, std::string>& missing) {
  std::vector<std::string> notices;
  for (const auto& [controller, why] : missing) {
    switch (controller) {
      case os::Controller::kCpu:
        notices.push_back("no CPU shares or quotas, only nice levels: " + why);
        break;
      case os::Controller::kCpuAccounting:
        notices.push_back("CPU use is summed up from /proc: " + why);
        break;
      case os::Controller::kMemory:
        notices.push_back("memory limits hold for each process by itself, and running out of "
                          "memory is not told from other kills: " + why);
        break;
      case os::Controller::kPids:
        notices.push_back("limits on processes hold for the whole job, not each instance: " + why);
        break;
    }
  }
  return notices;
}

}  // namespace evener::sandbox
