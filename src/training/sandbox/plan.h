// What each init is told, worked out from the options: addresses, files, CPUs, limits.
//
// Used by:  sandbox.
// Threads:  pure functions.
// Fails:    kInvalidArgument for options that make no sandbox.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/cgroup.h"
#include "training/sandbox/instance_plan.h"
#include "training/sandbox/network.h"

namespace evener::sandbox {

struct Machine {
  std::vector<int> cpus;              // that this process may use
  std::uint64_t memory_bytes = 0;
  Rootness rootness = Rootness::kMachine;
  std::map<os::Controller, std::string> missing_controllers;
};
Machine this_machine(Rootness rootness, const std::map<os::Controller, std::string>& missing);

Status check_options(const SandboxOptions& options);

enum class Outside { kNone, kThroughUplink };
std::vector<InstancePlan> plan_instances(const SandboxOptions& options, const Machine& machine,
                                         const Subnet& subnet, Outside outside);

// `visible` of the machine's CPUs, beginning where the instances before ended; empty: all.
std::vector<int> choose_cpus(const std::vector<int>& machine, std::size_t begin, int visible);

// "no memory limits: ..." for what the machine does not give.
std::vector<std::string> limit_notices(const std::map<os::Controller, std::string>& missing);

}  // namespace evener::sandbox
