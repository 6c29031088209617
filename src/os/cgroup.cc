#include "os/cgroup.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <fstream>

#include "os/unique_fd.h"

namespace evener::os {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t kPeriodMicros = 100'000;     // of a CPU quota; the kernel's default
constexpr std::uint64_t kLeastQuotaMicros = 1'000;   // the kernel refuses less
constexpr long kSharesPerWeight = 1024;              // v1: cpu.shares of one vCPU
constexpr long kMostShares = 262'144;
constexpr long kWeightPerWeight = 50;                // v2: 200 vCPUs reach the most, 10000
constexpr long kMostWeight = 10'000;
constexpr int kMakeTries = 5;
constexpr int kMostDepth = 16;                       // of groups that a program made inside its own

Status write_value(const fs::path& file, const std::string& value) {
  // O_CREAT matters in fake trees only; a control file that the kernel lacks is refused.
  const UniqueFd out(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!out) return errno_failure(errno, "open " + file.string());
  if (::write(out.get(), value.data(), value.size()) != static_cast<ssize_t>(value.size())) {
    return errno_failure(errno, "write " + value + " to " + file.string());
  }
  return ok();
}

std::uint64_t read_number(const fs::path& file) {
  std::ifstream in(file);
  std::uint64_t value = 0;
  in >> value;
  return in ? value : 0;
}

// Of a line `key value` in `file`.
std::uint64_t read_field(const fs::path& file, std::string_view key) {
  std::ifstream in(file);
  std::string name;
  std::uint64_t value = 0;
  while (in >> name >> value) {
    if (name == key) return value;
  }
  return 0;
}

void collect_members(const fs::path& folder, int depth, std::vector<pid_t>& members) {
  std::ifstream in(folder / "cgroup.procs");
  for (pid_t pid = 0; in >> pid;) members.push_back(pid);
  if (depth == 0) return;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.is_directory(error)) collect_members(entry.path(), depth - 1, members);
  }
}

Status remove_folder(const fs::path& folder, int depth) {
  std::error_code error;
  if (depth > 0) {
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      if (entry.is_directory(error)) RETURN_IF_ERROR(remove_folder(entry.path(), depth - 1));
    }
  }
  if (::rmdir(folder.c_str()) != 0 && errno != ENOENT) {
    return errno_failure(errno, "remove " + folder.string());
  }
  return ok();
}

}  // namespace

Cgroup::Cgroup(const CgroupLayout& layout, const std::string& name)
    : version_(layout.version), name_(name), roots_(layout.roots), missing_(layout.missing) {
  for (const auto& [controller, root] : roots_) folders_[controller] = root / name_;
}

std::vector<fs::path> Cgroup::distinct_folders() const {
  std::vector<fs::path> folders;
  for (const auto& [controller, folder] : folders_) {
    if (std::find(folders.begin(), folders.end(), folder) == folders.end()) {
      folders.push_back(folder);
    }
  }
  return folders;
}

void Cgroup::enable_controllers(const fs::path& folder) {
  for (const auto& [controller, root] : roots_) {
    if (controller == Controller::kCpuAccounting || missing_.contains(controller)) continue;
    const std::string name(to_string(controller));
    if (Status written = write_value(folder / "cgroup.subtree_control", "+" + name); !written) {
      missing_[controller] = written.error().message;
      folders_.erase(controller);
    }
  }
}

void Cgroup::create() {
  std::map<fs::path, Status> made;
  for (const auto& [controller, root] : roots_) {
    if (!made.contains(root)) made[root] = make_path(root);
    if (!made[root]) {
      missing_[controller] = made[root].error().message;
      folders_.erase(controller);
    }
  }
}

// Folder by folder. Another job that ends may remove an empty folder on the way: then again.
Status Cgroup::make_path(const fs::path& root) {
  Status made = ok();
  for (int round = 0; round < kMakeTries; ++round) {
    made = ok();
    fs::path folder = root;
    for (const fs::path& part : name_) {
      if (version_ == CgroupVersion::kV2) enable_controllers(folder);
      folder /= part;
      if (::mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) {
        made = errno_failure(errno, "make " + folder.string());
        break;
      }
    }
    if (made || made.error().code != ErrorCode::kNotFound) return made;
  }
  return made;
}

void Cgroup::set(Controller controller, const char* file, const std::string& value) {
  if (!has(controller)) return;
  if (Status written = write_value(folders_[controller] / file, value); !written) {
    missing_[controller] = written.error().message;
  }
}

void Cgroup::set_limits(const CgroupLimits& limits) {
  const bool v2 = version_ == CgroupVersion::kV2;
  const long weight = std::max(1, limits.cpu_weight);
  set(Controller::kCpu, v2 ? "cpu.weight" : "cpu.shares",
      std::to_string(v2 ? std::min(kMostWeight, weight * kWeightPerWeight)
                        : std::min(kMostShares, weight * kSharesPerWeight)));
  if (limits.cpu_quota) {
    const auto micros = std::max(
        kLeastQuotaMicros, static_cast<std::uint64_t>(std::llround(
                               *limits.cpu_quota * static_cast<double>(kPeriodMicros))));
    if (v2) {
      set(Controller::kCpu, "cpu.max",
          std::to_string(micros) + " " + std::to_string(kPeriodMicros));
    } else {
      set(Controller::kCpu, "cpu.cfs_period_us", std::to_string(kPeriodMicros));
      set(Controller::kCpu, "cpu.cfs_quota_us", std::to_string(micros));
    }
  }
  if (limits.memory_bytes > 0 && has(Controller::kMemory)) {
    const std::string bytes = std::to_string(limits.memory_bytes);
    set(Controller::kMemory, v2 ? "memory.max" : "memory.limit_in_bytes", bytes);
    // Absent where the kernel does not count swap; the limit on memory holds all the same.
    const fs::path& folder = folders_[Controller::kMemory];
    (void)write_value(folder / (v2 ? "memory.swap.max" : "memory.memsw.limit_in_bytes"),
                      v2 ? "0" : bytes);
  }
  if (limits.pids > 0) set(Controller::kPids, "pids.max", std::to_string(limits.pids));
}

Status Cgroup::attach(pid_t process) {
  for (const fs::path& folder : distinct_folders()) {
    RETURN_IF_ERROR(write_value(folder / "cgroup.procs", std::to_string(process)));
  }
  return ok();
}

CgroupUsage Cgroup::usage() const {
  CgroupUsage usage;
  const bool v2 = version_ == CgroupVersion::kV2;
  if (const auto at = folders_.find(Controller::kCpuAccounting); at != folders_.end()) {
    usage.cpu_nanos = v2 ? read_field(at->second / "cpu.stat", "usage_usec") * 1000
                         : read_number(at->second / "cpuacct.usage");
  }
  if (const auto at = folders_.find(Controller::kMemory); at != folders_.end()) {
    const std::uint64_t all =
        read_number(at->second / (v2 ? "memory.current" : "memory.usage_in_bytes"));
    const std::uint64_t droppable =
        read_field(at->second / "memory.stat", v2 ? "inactive_file" : "total_inactive_file");
    usage.memory_bytes = all - std::min(all, droppable);
    // memory.peak came with Linux 5.19.
    usage.memory_peak_bytes =
        std::max(usage.memory_bytes,
                 read_number(at->second / (v2 ? "memory.peak" : "memory.max_usage_in_bytes")));
  }
  return usage;
}

std::uint64_t Cgroup::out_of_memory_kills() const {
  const auto at = folders_.find(Controller::kMemory);
  if (at == folders_.end()) return 0;
  return version_ == CgroupVersion::kV2
             ? read_field(at->second / "memory.events", "oom_kill")
             : read_field(at->second / "memory.oom_control", "oom_kill");
}

std::vector<pid_t> Cgroup::members() const {
  std::vector<pid_t> members;
  for (const fs::path& folder : distinct_folders()) collect_members(folder, kMostDepth, members);
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
  return members;
}

void Cgroup::kill_members() {
  if (version_ == CgroupVersion::kV2) {
    for (const fs::path& folder : distinct_folders()) {
      if (::access((folder / "cgroup.kill").c_str(), W_OK) == 0 &&
          write_value(folder / "cgroup.kill", "1")) {
        return;
      }
    }
  }
  for (const pid_t pid : members()) ::kill(pid, SIGKILL);
}

Status Cgroup::remove() {
  Status result = ok();
  for (const fs::path& folder : distinct_folders()) {
    if (Status removed = remove_folder(folder, kMostDepth); !removed) result = removed;
  }
  // The first folder of the name goes with the last group in it, unless someone else made it
  // for us.
  for (const auto& [controller, root] : roots_) {
    const fs::path top = root / *name_.begin();
    struct stat status{};
    if (result && ::stat(top.c_str(), &status) == 0 && status.st_uid == ::geteuid()) {
      ::rmdir(top.c_str());
    }
  }
  return result;
}

}  // namespace evener::os
