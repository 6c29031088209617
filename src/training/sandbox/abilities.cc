// What this machine allows: each is tried for real in child processes that leave nothing.
#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <functional>

#include "os/cgroup.h"
#include "os/namespace.h"
#include "os/namespace_mounts.h"
#include "os/namespace_privileges.h"
#include "os/netlink.h"
#include "training/sandbox/sandbox.h"
#include "training/sandbox/uplink.h"

namespace evener::sandbox {
namespace {

constexpr std::uint64_t kNamespaces =
    CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWNET;

std::string find_program(std::string_view name) {
  for (const char* folder : {"/usr/local/bin/", "/usr/bin/", "/bin/", "/usr/sbin/", "/sbin/"}) {
    const std::string path = folder + std::string(name);
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return {};
}

// Runs `attempt` in a child with the given namespaces; its error, if any, comes back as text.
Status try_in_child(std::uint64_t flags, const std::function<Status()>& attempt) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return errno_failure(errno, "pipe");
  const os::UniqueFd report(ends[0]);
  os::UniqueFd report_child(ends[1]);
  Result<os::ClonedProcess> child = os::clone_process(flags);
  if (!child) return tl::unexpected<Error>(child.error());
  if (child->pid == 0) {
    const Status status = attempt();
    if (!status) {
      const std::string& text = status.error().message;
      (void)!::write(report_child.get(), text.data(), text.size());
    }
    ::_exit(status ? 0 : 1);
  }
  report_child.reset();
  std::array<char, 1024> text{};
  const ssize_t size = ::read(report.get(), text.data(), text.size());
  Result<int> code = os::reap(child->pidfd.get());
  if (!code) return tl::unexpected<Error>(code.error());
  if (*code == 0) return ok();
  return failure(ErrorCode::kUnsupported,
                 size > 0 ? std::string(text.data(), static_cast<std::size_t>(size))
                          : "the attempt was killed");
}

Status attempt_mounts() {
  RETURN_IF_ERROR(os::make_mounts_private());
  for (const char* type : {"tmpfs", "proc"}) {
    if (Result<os::UniqueFd> made = os::make_file_system(type, {}, {}); !made) {
      return tl::unexpected<Error>(made.error());
    }
  }
  if (Result<os::UniqueFd> copy = os::copy_tree("/usr", {.access = os::Access::kReadOnly});
      !copy) {
    return tl::unexpected<Error>(copy.error());
  }
  return ok();
}

Status attempt_bridge() {
  Result<os::Netlink> links = os::Netlink::open();
  if (!links) return tl::unexpected<Error>(links.error());
  return links->add_bridge("br0");
}

enum class Mounter { kMachineRoot, kUserNamespaceRoot };

// On a tmpfs of the attempt's own, so that it says nothing about the file system of a home.
Status attempt_overlay(Mounter mounter) {
  RETURN_IF_ERROR(os::make_mounts_private());
  Result<os::UniqueFd> scratch = os::make_file_system("tmpfs", {}, {});
  if (!scratch) return tl::unexpected<Error>(scratch.error());
  const os::UniqueFd target(::open("/tmp", O_PATH | O_CLOEXEC));
  RETURN_IF_ERROR(os::attach_tree(scratch->get(), target.get(), "/tmp"));
  os::MountOptions options;
  for (const char* name : {"lower", "upper", "work"}) {
    Result<os::UniqueFd> made = os::make_folder_in_root(scratch->get(), name);
    if (!made) return tl::unexpected<Error>(made.error());
    options.emplace_back(std::string(name) + "dir", std::string("/tmp/") + name);
  }
  if (mounter == Mounter::kUserNamespaceRoot) options.emplace_back("userxattr", "");
  const Result<os::UniqueFd> overlay = os::make_file_system("overlay", options, {});
  if (!overlay) return tl::unexpected<Error>(overlay.error());
  return ok();
}

// As create() would: as root of the machine, or of a new user namespace.
Status try_isolated(std::uint64_t flags, const std::function<Status()>& attempt) {
  if (os::may_administer()) return try_in_child(flags, attempt);
  return try_in_child(0, [&]() -> Status {
    if (Result<os::IdRange> entered = os::enter_new_user_namespace(); !entered) {
      return tl::unexpected<Error>(entered.error());
    }
    return try_in_child(flags, attempt);
  });
}

Status try_namespaces() {
  return try_isolated(kNamespaces, []() -> Status {
    RETURN_IF_ERROR(attempt_mounts());
    return attempt_bridge();
  });
}

Ability ability(std::string name, const Status& status, std::string good, std::string fix) {
  if (status) return {std::move(name), true, std::move(good), {}};
  return {std::move(name), false, status.error().message, std::move(fix)};
}

Ability user_namespaces() {
  const Status status = try_in_child(0, []() -> Status {
    Result<os::IdRange> entered = os::enter_new_user_namespace();
    if (!entered) return tl::unexpected<Error>(entered.error());
    return try_in_child(CLONE_NEWNS | CLONE_NEWPID, attempt_mounts);
  });
  return ability("user namespaces", status, "jobs can be isolated without root",
                 "allow them: sysctl kernel.unprivileged_userns_clone=1, "
                 "user.max_user_namespaces above 0, and on Ubuntu "
                 "kernel.apparmor_restrict_unprivileged_userns=0; or run as root");
}

std::string cgroup_fix(const os::CgroupLayout& layout, os::Controller controller) {
  const std::string name(os::to_string(controller));
  if (layout.version == os::CgroupVersion::kV2) {
    return "start from a delegated group: systemd-run --user --scope -p Delegate=yes evener ...";
  }
  if (layout.version == os::CgroupVersion::kV1) {
    return "as root: mkdir -p /sys/fs/cgroup/" + name + "/evener && chown -R " +
           std::to_string(::geteuid()) + " /sys/fs/cgroup/" + name + "/evener";
  }
  return "mount the control groups of the kernel (in a container: start it with them)";
}

void add_cgroups(std::vector<Ability>& abilities) {
  const os::CgroupLayout layout = os::find_cgroup_layout(os::read_cgroup_facts(), "/");
  for (const os::Controller controller : os::kControllers) {
    Ability one;
    one.name = "cgroup " + std::string(os::to_string(controller));
    if (const auto root = layout.roots.find(controller); root != layout.roots.end()) {
      one.works = true;
      one.detail = std::string(os::to_string(layout.version)) + " at " + root->second.string();
    } else {
      one.detail = std::string(os::to_string(layout.version)) + ": " +
                   layout.missing.at(controller);
      one.fix = cgroup_fix(layout, controller);
    }
    abilities.push_back(std::move(one));
  }
}

Status can_open(const char* path) {
  const os::UniqueFd device(::open(path, O_RDWR | O_CLOEXEC));
  if (!device) return errno_failure(errno, std::string("open ") + path);
  return ok();
}

Ability outside_network() {
  const Result<std::string> program = Uplink::find_program();
  if (program) return {"outside network", true, *program, {}};
  return {"outside network", false, program.error().message,
          "install slirp4netns and let this user open /dev/net/tun (chmod 666 /dev/net/tun)"};
}

Ability containers() {
  std::string found;
  for (const char* name : {"podman", "docker", "runc", "crun"}) {
    const std::string path = find_program(name);
    if (!path.empty()) found += (found.empty() ? "" : " ") + path;
  }
  const bool works = !found.empty();
  return {"container tools", works, works ? found : "none of podman, docker, runc, crun",
          works ? "" : "only needed to fetch images: apt install podman"};
}

Ability gpu() {
  if (void* library = ::dlopen("libnvidia-ml.so.1", RTLD_LAZY | RTLD_LOCAL)) {
    ::dlclose(library);
    if (::access("/dev/nvidiactl", F_OK) == 0) {
      return {"GPU", true, "NVIDIA driver library and devices", {}};
    }
    return {"GPU", false, "the NVIDIA library is there, /dev/nvidiactl is not",
            "load the driver: modprobe nvidia, or start the container with the devices"};
  }
  return {"GPU", false, "no NVIDIA driver library (libnvidia-ml.so.1)",
          "jobs run on CPUs; install the NVIDIA driver if there is a GPU"};
}

Ability slurm() {
  const std::string path = find_program("sinfo");
  if (!path.empty()) return {"Slurm", true, path, {}};
  return {"Slurm", false, "sinfo is not installed", "only needed for a Slurm cluster"};
}

}  // namespace

std::vector<Ability> probe_abilities() {
  std::vector<Ability> abilities;
  const bool root = os::may_administer();
  const Mounter mounter = root ? Mounter::kMachineRoot : Mounter::kUserNamespaceRoot;
  abilities.push_back({"root", root, root ? "full control groups and devices" : "not root",
                       root ? "" : "not needed where user namespaces work"});
  abilities.push_back(user_namespaces());
  abilities.push_back(ability("isolation", try_namespaces(),
                              "mount, UTS, PID, IPC and network namespaces",
                              "run as root or allow user namespaces; jobs run with plain "
                              "isolation until then"));
  add_cgroups(abilities);
  abilities.push_back(ability("overlay",
                              try_isolated(CLONE_NEWNS, [mounter] { return attempt_overlay(mounter); }),
                              "inputs are shown without copying",
                              "modprobe overlay; without it inputs are copied"));
  abilities.push_back(ability("FUSE", can_open("/dev/fuse"), "/dev/fuse",
                              "modprobe fuse, or start the container with --device /dev/fuse"));
  abilities.push_back(outside_network());
  abilities.push_back(containers());
  abilities.push_back(gpu());
  abilities.push_back(slurm());
  return abilities;
}

Isolation best_isolation() {
  return try_namespaces() ? Isolation::kNamespaces : Isolation::kPlain;
}

}  // namespace evener::sandbox
