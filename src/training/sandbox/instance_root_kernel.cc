// The parts of an instance's root that come from the kernel (/proc, /sys, /dev) and the files
// that say who the instance is.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "training/sandbox/instance_root.h"

namespace evener::sandbox {
namespace {

using os::Access;
using os::MountAttributes;

constexpr MountAttributes kShown{.access = Access::kReadOnly};
constexpr MountAttributes kWritable{};
constexpr MountAttributes kDeviceNode{.no_devices = false};
constexpr std::uint64_t kDeviceFolderBytes = 64u << 10;

Status write_at(int folder, const std::string& name, const std::string& text) {
  const os::UniqueFd file(
      ::openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!file || ::write(file.get(), text.data(), text.size()) !=
                   static_cast<ssize_t>(text.size())) {
    return errno_failure(errno, "write " + name);
  }
  return ok();
}

// Accelerators of the machine, as far as there are some.
std::vector<std::string> accelerator_nodes() {
  std::vector<std::string> nodes;
  for (const char* name : {"nvidiactl", "nvidia-uvm", "nvidia-uvm-tools", "nvidia-modeset", "kfd"}) {
    if (::access((std::string("/dev/") + name).c_str(), F_OK) == 0) nodes.emplace_back(name);
  }
  constexpr int kMostAccelerators = 32;
  for (int i = 0; i < kMostAccelerators; ++i) {
    const std::string name = "nvidia" + std::to_string(i);
    if (::access(("/dev/" + name).c_str(), F_OK) == 0) nodes.push_back(name);
  }
  return nodes;
}

}  // namespace

Status InstanceRoot::make_devices() {
  RETURN_IF_ERROR(mount_tmpfs("/dev", "755", kDeviceFolderBytes));
  Result<os::UniqueFd> dev = os::open_in_root(root(), "/dev");
  if (!dev) return tl::unexpected<Error>(dev.error());
  std::vector<std::string> nodes = {"null", "zero", "full", "random", "urandom", "tty"};
  for (std::string& node : accelerator_nodes()) nodes.push_back(std::move(node));
  for (const std::string& node : nodes) {
    RETURN_IF_ERROR(write_at(dev->get(), node, ""));
    Result<os::UniqueFd> tree = os::copy_tree("/dev/" + node, kDeviceNode);
    if (!tree) return tl::unexpected<Error>(tree.error());
    RETURN_IF_ERROR(attach_over(tree->get(), "/dev/" + node));
  }
  constexpr std::array<std::pair<const char*, const char*>, 5> kLinks = {{
      {"/proc/self/fd", "fd"},
      {"/proc/self/fd/0", "stdin"},
      {"/proc/self/fd/1", "stdout"},
      {"/proc/self/fd/2", "stderr"},
      {"pts/ptmx", "ptmx"},
  }};
  for (const auto& [target, name] : kLinks) {
    if (::symlinkat(target, dev->get(), name) != 0) {
      return errno_failure(errno, std::string("link /dev/") + name);
    }
  }
  for (const char* folder : {"pts", "shm"}) {
    if (::mkdirat(dev->get(), folder, 0755) != 0) {
      return errno_failure(errno, std::string("make /dev/") + folder);
    }
  }
  Result<os::UniqueFd> terminals = os::make_file_system(
      "devpts", {{"newinstance", ""}, {"ptmxmode", "0666"}, {"mode", "0620"}}, kDeviceNode);
  if (!terminals) return tl::unexpected<Error>(terminals.error());
  RETURN_IF_ERROR(attach_over(terminals->get(), "/dev/pts"));
  return mount_tmpfs("/dev/shm", "1777", plan_.memory_bytes / 2);
}

Status InstanceRoot::make_kernel_views() {
  Result<os::UniqueFd> proc = os::make_file_system("proc", {}, kWritable);
  if (!proc) return tl::unexpected<Error>(proc.error());
  RETURN_IF_ERROR(attach_over(proc->get(), "/proc"));
  if (plan_.rootness == Rootness::kMachine) RETURN_IF_ERROR(cover_kernel_controls());
  // A new sysfs shows the instance's own network interfaces.
  Result<os::UniqueFd> sys = os::make_file_system("sysfs", {}, kShown);
  if (!sys) sys = os::copy_tree("/sys", kShown);
  if (!sys) return tl::unexpected<Error>(sys.error());
  RETURN_IF_ERROR(attach_over(sys->get(), "/sys"));
  if (Result<os::UniqueFd> groups = os::copy_tree("/sys/fs/cgroup", kShown); groups) {
    (void)attach_over(groups->get(), "/sys/fs/cgroup");
  }
  return ok();
}

// Root of the machine could change the machine through these.
Status InstanceRoot::cover_kernel_controls() {
  for (const char* path : {"/proc/sys", "/proc/irq", "/proc/bus", "/proc/fs",
                           "/proc/sysrq-trigger"}) {
    Result<os::UniqueFd> place = os::open_in_root(root(), path);
    if (!place) continue;
    // Of the new proc: the name in our own root would be the machine's.
    Result<os::UniqueFd> tree =
        os::copy_tree("/proc/self/fd/" + std::to_string(place->get()), kShown);
    if (!tree) return tl::unexpected<Error>(tree.error());
    RETURN_IF_ERROR(os::attach_tree(tree->get(), place->get(), path));
  }
  for (const char* path : {"/proc/kcore", "/proc/keys", "/proc/timer_list", "/proc/acpi",
                           "/proc/scsi"}) {
    RETURN_IF_ERROR(mask(path));
  }
  return ok();
}

Status InstanceRoot::place_identity_files() {
  RETURN_IF_ERROR(place_file("/etc/hostname", plan_.host + "\n"));
  RETURN_IF_ERROR(place_file("/etc/hosts", plan_.hosts_text));
  RETURN_IF_ERROR(place_file("/etc/resolv.conf", plan_.resolver_text));
  const std::string cpus =
      plan_.visible_cpus > 1 ? "0-" + std::to_string(plan_.visible_cpus - 1) : "0";
  return place_file("/sys/devices/system/cpu/online", cpus + "\n");
}

// Covers the file, or writes it where a symlink of the machine leads into one of our own folders
// (/etc/resolv.conf -> /run/...). A machine that has no such place gets none.
Status InstanceRoot::place_file(const std::string& path, const std::string& text) {
  constexpr const char* kScratch = ".scratch";
  Result<os::UniqueFd> place = os::open_in_root(root(), path);
  if (!place) {
    std::array<char, 4096> link{};
    const ssize_t size = ::readlink(path.c_str(), link.data(), link.size() - 1);
    if (size <= 0) return ok();
    std::filesystem::path target(link.data());
    if (target.is_relative()) target = std::filesystem::path(path).parent_path() / target;
    target = target.lexically_normal();
    if (!target.string().starts_with("/run/")) return ok();
    Result<os::UniqueFd> folder =
        os::make_folder_in_root(root(), target.parent_path().string());
    if (!folder) return tl::unexpected<Error>(folder.error());
    const os::UniqueFd at(::openat(root(), target.parent_path().relative_path().c_str(),
                                   O_DIRECTORY | O_CLOEXEC));
    return write_at(at.get(), target.filename().string(), text);
  }
  RETURN_IF_ERROR(write_at(root(), kScratch, text));
  // The bind keeps the file alive after its name is gone.
  Result<os::UniqueFd> scratch = os::open_in_root(root(), std::string("/") + kScratch);
  if (!scratch) return tl::unexpected<Error>(scratch.error());
  Result<os::UniqueFd> tree =
      os::copy_tree("/proc/self/fd/" + std::to_string(scratch->get()), kWritable);
  if (!tree) return tl::unexpected<Error>(tree.error());
  RETURN_IF_ERROR(os::attach_tree(tree->get(), place->get(), path));
  if (::unlinkat(root(), kScratch, 0) != 0) return errno_failure(errno, "remove scratch file");
  return ok();
}

}  // namespace evener::sandbox
