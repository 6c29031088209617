// Control groups, v1 (each controller its own tree) and v2 (one tree), seen as one.
//
// Used by:  sandbox.
// Threads:  values; a Cgroup may be used from one thread at a time.
// Fails:    where a controller is absent or not ours to use it is left out, and missing() says
//           why; writes fail with the code of errno and the path.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace evener::os {

enum class Controller { kCpu, kCpuAccounting, kMemory, kPids };
inline constexpr std::array kControllers = {Controller::kCpu, Controller::kCpuAccounting,
                                            Controller::kMemory, Controller::kPids};
// "cpu", "cpuacct", "memory", "pids".
std::string_view to_string(Controller controller);
std::optional<Controller> controller_from_string(std::string_view text);

enum class CgroupVersion { kNone, kV1, kV2 };
std::string_view to_string(CgroupVersion version);
std::optional<CgroupVersion> cgroup_version_from_string(std::string_view text);

// What the kernel says about the groups of this process.
struct CgroupFacts {
  std::string mounts;        // /proc/self/mountinfo
  std::string membership;    // /proc/self/cgroup
};
CgroupFacts read_cgroup_facts();

// Where groups of ours may stand: one folder per controller; with v2 the same for all. In these
// folders, groups may be made.
struct CgroupLayout {
  CgroupVersion version = CgroupVersion::kNone;
  std::map<Controller, std::filesystem::path> roots;
  std::map<Controller, std::string> missing;    // why a controller is not among the roots
};

// `prefix` stands before every path of the facts: "/" or, in tests, the folder of a fake tree.
CgroupLayout find_cgroup_layout(const CgroupFacts& facts, const std::filesystem::path& prefix);

struct CgroupLimits {
  int cpu_weight = 1;                  // relative to the groups beside it
  std::optional<double> cpu_quota = std::nullopt;   // CPUs
  std::uint64_t memory_bytes = 0;      // 0: none; swap counts, or is off
  std::uint64_t pids = 0;              // 0: none
};

struct CgroupUsage {
  std::uint64_t cpu_nanos = 0;
  std::uint64_t memory_bytes = 0;      // without file pages that can be dropped
  std::uint64_t memory_peak_bytes = 0; // as the kernel counts, file pages included
};

// One group, in the tree of each controller of the layout. A value: it does not own the group.
class Cgroup {
 public:
  // `name` is a relative path, "evener/<job>/<host>". Touches nothing.
  Cgroup(const CgroupLayout& layout, const std::string& name);

  // Makes it and what it needs above it. Controllers that are refused move to missing().
  void create();
  void set_limits(const CgroupLimits& limits);
  const std::map<Controller, std::string>& missing() const { return missing_; }
  bool has(Controller controller) const { return folders_.contains(controller); }

  Status attach(pid_t process);
  CgroupUsage usage() const;
  std::uint64_t out_of_memory_kills() const;
  std::vector<pid_t> members() const;      // with those of groups inside it
  // Removes it, the groups inside it, and the first folder of its name if that is left empty;
  // kUnavailable while processes are in it.
  Status remove();
  // SIGKILL to all in it and in the groups inside it.
  void kill_members();

 private:
  std::vector<std::filesystem::path> distinct_folders() const;
  void set(Controller controller, const char* file, const std::string& value);
  Status make_path(const std::filesystem::path& root);
  void enable_controllers(const std::filesystem::path& root);

  CgroupVersion version_;
  std::filesystem::path name_;
  std::map<Controller, std::filesystem::path> roots_;
  std::map<Controller, std::filesystem::path> folders_;
  std::map<Controller, std::string> missing_;
};

}  // namespace evener::os
