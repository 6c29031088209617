// After a supervisor that was killed: its instances ended with it, their groups did not.
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "training/sandbox/limits.h"
#include "training/sandbox/process_tree.h"
#include "training/sandbox/sandbox.h"

namespace evener::sandbox {
namespace {
constexpr int kKillRounds = 100;   // each ends all that the round before could have started
}

Status remove_groups(const std::string& job, const std::filesystem::path& folder) {
  const os::CgroupLayout layout = os::find_cgroup_layout(os::read_cgroup_facts(), "/");
  if (layout.roots.empty()) return ok();
  os::Cgroup group(layout, job_group_name(job, folder));
  return remove_group(group);
}

Status remove_leftovers(const std::string& job, const std::filesystem::path& folder) {
  const std::string name = job_group_name(job, folder);
  const os::CgroupLayout layout = os::find_cgroup_layout(os::read_cgroup_facts(), "/");
  os::Cgroup group(layout, name);
  for (int round = 0; round < kKillRounds && !group.members().empty(); ++round) {
    group.kill_members();
  }
  const std::string marker = "EVENER_SANDBOX=" + name + "/";
  for (int round = 0; round < kKillRounds; ++round) {
    const std::vector<pid_t> left = processes_with_environment(marker);
    if (left.empty()) break;
    for (const pid_t pid : left) ::kill(pid, SIGKILL);
  }
  return layout.roots.empty() ? ok() : remove_group(group);
}

}  // namespace evener::sandbox
