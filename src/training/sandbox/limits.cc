#include "training/sandbox/limits.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <sstream>

#include "os/namespace.h"

namespace evener::sandbox {
namespace {

constexpr int kRemoveTries = 200;          // of kRemovePauseMillis: 1 s for the kernel to let go
constexpr int kRemovePauseMillis = 5;
constexpr std::size_t kMostNameBytes = 80;

std::uint32_t fnv1a(std::string_view text) {
  std::uint32_t hash = 2166136261U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

struct Worker {
  os::Cgroup& job_group;
  std::vector<os::Cgroup>& groups;
  const std::vector<InstanceOptions>& instances;

  // Makes the groups, moves the processes whose numbers come in, and reports.
  std::map<os::Controller, std::string> work(int numbers) {
    int total_weight = 0;
    for (const InstanceOptions& instance : instances) total_weight += instance.cpu_weight;
    job_group.create();
    job_group.set_limits({.cpu_weight = total_weight});
    // Refused under v2, where a group with groups inside holds no processes; nothing is lost.
    (void)job_group.attach(::getpid());
    std::map<os::Controller, std::string> missing = job_group.missing();
    for (std::size_t i = 0; i < groups.size(); ++i) {
      groups[i].create();
      groups[i].set_limits({.cpu_weight = instances[i].cpu_weight,
                            .cpu_quota = instances[i].cpu_quota,
                            .memory_bytes = instances[i].memory_limit_bytes,
                            .pids = instances[i].pids_limit});
      missing.insert(groups[i].missing().begin(), groups[i].missing().end());
    }
    for (os::Cgroup& group : groups) {
      pid_t init = 0;
      if (::read(numbers, &init, sizeof init) != sizeof init) break;
      if (Status entered = group.attach(init); !entered) {
        for (const os::Controller controller : os::kControllers) {
          missing.emplace(controller, entered.error().message);
        }
      }
    }
    return missing;
  }
};

[[noreturn]] void run_worker(Worker worker, int numbers, int report) {
  (void)os::die_with_parent();
  std::string lines;
  for (const auto& [controller, reason] : worker.work(numbers)) {
    lines += std::string(os::to_string(controller)) + " " + reason + "\n";
  }
  (void)!::write(report, lines.data(), lines.size());
  ::_exit(0);
}

Result<std::pair<os::UniqueFd, os::UniqueFd>> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return errno_failure(errno, "pipe");
  return std::pair(os::UniqueFd(ends[0]), os::UniqueFd(ends[1]));
}

}  // namespace

std::string job_group_name(const std::string& job, const std::filesystem::path& folder) {
  std::ostringstream name;
  name << "evener/" << job.substr(0, kMostNameBytes) << "-" << std::hex
       << fnv1a(folder.lexically_normal().string());
  return name.str();
}

Result<InstanceLimits> InstanceLimits::start(const SandboxOptions& options) {
  const os::CgroupLayout layout = os::find_cgroup_layout(os::read_cgroup_facts(), "/");
  const std::string name = job_group_name(options.job, options.folder);
  InstanceLimits limits(layout, os::Cgroup(layout, name));
  for (const InstanceOptions& instance : options.instances) {
    limits.groups_.emplace_back(layout, name + "/" + instance.host);
  }
  limits.missing_ = layout.missing;
  if (layout.roots.empty()) return limits;
  auto numbers = make_pipe();
  auto report = make_pipe();
  if (!numbers) return tl::unexpected<Error>(numbers.error());
  if (!report) return tl::unexpected<Error>(report.error());
  Result<os::ClonedProcess> child = os::clone_process(0);
  if (!child) return tl::unexpected<Error>(child.error());
  if (child->pid == 0) {
    numbers->second.reset();
    run_worker({limits.job_group_, limits.groups_, options.instances}, numbers->first.get(),
               report->second.get());
  }
  limits.worker_ = std::move(child->pidfd);
  limits.to_worker_ = std::move(numbers->second);
  limits.from_worker_ = std::move(report->first);
  return limits;
}

Status InstanceLimits::enter(pid_t init) {
  if (!to_worker_) return ok();
  if (::write(to_worker_.get(), &init, sizeof init) != sizeof init) {
    return errno_failure(errno, "tell the number of an init");
  }
  return ok();
}

Status InstanceLimits::finish() {
  to_worker_.reset();
  if (!worker_) return ok();
  std::string text;
  std::array<char, 4096> chunk{};
  for (ssize_t size = 0; (size = ::read(from_worker_.get(), chunk.data(), chunk.size())) != 0;) {
    if (size < 0 && errno != EINTR) return errno_failure(errno, "read what limits hold");
    if (size > 0) text.append(chunk.data(), static_cast<std::size_t>(size));
  }
  Result<int> code = os::reap(worker_.get());
  worker_.reset();
  if (!code) return tl::unexpected<Error>(code.error());
  if (*code != 0) return failure(ErrorCode::kIo, "the process that sets limits was killed");
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t blank = line.find(' ');
    const auto controller = os::controller_from_string(line.substr(0, blank));
    if (controller && blank != std::string::npos) missing_[*controller] = line.substr(blank + 1);
  }
  return ok();
}

Status InstanceLimits::remove() {
  to_worker_.reset();
  if (worker_) (void)finish();
  return layout_.roots.empty() ? ok() : remove_group(job_group_);
}

Status remove_group(os::Cgroup& group) {
  Status removed = group.remove();
  for (int i = 0; i < kRemoveTries && !removed &&
                  removed.error().code == ErrorCode::kUnavailable;
       ++i) {
    ::poll(nullptr, 0, kRemovePauseMillis);
    removed = group.remove();
  }
  return removed;
}

}  // namespace evener::sandbox
