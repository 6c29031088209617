// Control groups of a job's instances, made and entered beside the rest of the preparation.
//
// Used by:  sandbox.
// Threads:  start() in a process with one thread; then one at a time.
// Fails:    a limit that cannot be had is a text of missing(), not an error.
//
// The first process that enters a v1 group waits 7-25 ms for the kernel's grace period. So a
// child process makes the groups, enters the job's group itself to begin that wait at once, and
// then moves each init as soon as it is told its number.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/cgroup.h"
#include "os/unique_fd.h"
#include "training/sandbox/sandbox.h"

namespace evener::sandbox {

// "evener/<job>-<hash of folder>".
std::string job_group_name(const std::string& job, const std::filesystem::path& folder);

class InstanceLimits {
 public:
  static Result<InstanceLimits> start(const SandboxOptions& options);
  // Moves the next instance's init, in the order of the options.
  Status enter(pid_t init);
  // Waits until all inits are in their groups.
  Status finish();
  // What could not be limited, and why; complete after finish().
  const std::map<os::Controller, std::string>& missing() const { return missing_; }

  bool counts_cpu() const { return !missing_.contains(os::Controller::kCpuAccounting); }
  bool counts_memory() const { return !missing_.contains(os::Controller::kMemory); }
  os::Cgroup& group(std::size_t index) { return groups_.at(index); }
  // Removes the groups; what is in them has been killed. Waits a moment for the kernel.
  Status remove();

 private:
  InstanceLimits(os::CgroupLayout layout, os::Cgroup job_group)
      : layout_(std::move(layout)), job_group_(std::move(job_group)) {}

  os::CgroupLayout layout_;
  os::Cgroup job_group_;
  std::vector<os::Cgroup> groups_;
  std::map<os::Controller, std::string> missing_;
  os::UniqueFd worker_;        // pidfd
  os::UniqueFd to_worker_;     // process numbers
  os::UniqueFd from_worker_;   // lines `controller reason`, then its end
};

// Removes a group and waits while the kernel still counts processes that were killed.
Status remove_group(os::Cgroup& group);

}  // namespace evener::sandbox
