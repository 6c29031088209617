#include "training/sandbox/instance_root.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <vector>

namespace evener::sandbox {
namespace {

using os::Access;
using os::MountAttributes;

constexpr MountAttributes kShown{.access = Access::kReadOnly};
constexpr MountAttributes kWritable{};
constexpr MountAttributes kDevices{.no_devices = false};
constexpr std::uint64_t kSmallBytes = 1u << 20;    // of a tmpfs that holds no one's data

struct FolderEntry {
  std::string name;
  bool operator<(const FolderEntry& other) const { return name < other.name; }
};

Result<std::vector<FolderEntry>> list_folder(const std::string& path) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), ::closedir);
  if (!folder) return errno_failure(errno, "list " + path);
  std::vector<FolderEntry> entries;
  while (const dirent* entry = ::readdir(folder.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") entries.push_back({name});
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

std::string read_link(const std::string& path) {
  std::array<char, 4096> target{};
  const ssize_t size = ::readlink(path.c_str(), target.data(), target.size());
  return size < 0 ? std::string() : std::string(target.data(), static_cast<std::size_t>(size));
}

bool made_by_us(const std::string& top_level_name) {
  constexpr std::array<std::string_view, 6> kOurs = {"dev", "opt", "proc", "run", "sys", "tmp"};
  return std::find(kOurs.begin(), kOurs.end(), top_level_name) != kOurs.end();
}

bool machine_has_identity_files() {
  struct stat status{};
  return ::lstat("/etc/hostname", &status) == 0 && ::lstat("/etc/hosts", &status) == 0 &&
         ::lstat("/etc/resolv.conf", &status) == 0;
}

Status make_entry(int folder, const std::string& name, mode_t type) {
  const int made = S_ISDIR(type)
                       ? ::mkdirat(folder, name.c_str(), 0755)
                       : ::mknodat(folder, name.c_str(), S_IFREG | 0644, 0);
  if (made != 0 && errno != EEXIST) return errno_failure(errno, "make " + name);
  return ok();
}

}  // namespace

Status InstanceRoot::build() {
  RETURN_IF_ERROR(os::make_mounts_private());
  Result<os::UniqueFd> root = os::make_file_system(
      "tmpfs", {{"mode", "755"}, {"size", std::to_string(4 * kSmallBytes)}}, kWritable);
  if (!root) return tl::unexpected<Error>(root.error());
  root_ = std::move(*root);
  // Over "/": our own root stays where it is, so that the machine's paths still mean the machine.
  const os::UniqueFd target(::open("/", O_PATH | O_CLOEXEC));
  RETURN_IF_ERROR(os::attach_tree(root_.get(), target.get(), "the new root"));
  RETURN_IF_ERROR(bind_machine_folders());
  RETURN_IF_ERROR(make_writable_folders());
  RETURN_IF_ERROR(make_devices());
  RETURN_IF_ERROR(make_opt());
  RETURN_IF_ERROR(make_kernel_views());
  return place_identity_files();
}

Status InstanceRoot::bind_machine_folders() {
  Result<std::vector<FolderEntry>> entries = list_folder("/");
  if (!entries) return tl::unexpected<Error>(entries.error());
  for (const FolderEntry& entry : *entries) {
    if (made_by_us(entry.name)) continue;
    if (entry.name == "etc" && !machine_has_identity_files()) {
      RETURN_IF_ERROR(make_etc());
      continue;
    }
    RETURN_IF_ERROR(bind_entry("/" + entry.name, root(), entry.name));
  }
  return ok();
}


// What the machine itself refuses to show (a dead network mount, a folder that went away) is
// left out.
Status InstanceRoot::bind_entry(const std::string& from, int into, const std::string& name) {
  struct stat status{};
  if (::lstat(from.c_str(), &status) != 0) return ok();
  if (S_ISLNK(status.st_mode)) {
    if (::symlinkat(read_link(from).c_str(), into, name.c_str()) != 0 && errno != EEXIST) {
      return errno_failure(errno, "link " + from);
    }
    return ok();
  }
  if (!S_ISDIR(status.st_mode) && !S_ISREG(status.st_mode)) return ok();
  Result<os::UniqueFd> tree = os::copy_tree(from, kShown);
  if (!tree) return ok();
  RETURN_IF_ERROR(make_entry(into, name, status.st_mode));
  const os::UniqueFd place(::openat(into, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (!place) return errno_failure(errno, "open " + from + " in the new root");
  return os::attach_tree(tree->get(), place.get(), from);
}

// A folder of our own with the machine's entries in it, where files have to stand that the
// machine's does not have.
Status InstanceRoot::make_etc() {
  RETURN_IF_ERROR(make_entry(root(), "etc", S_IFDIR));
  const os::UniqueFd etc(::openat(root(), "etc", O_DIRECTORY | O_CLOEXEC));
  if (!etc) return errno_failure(errno, "open /etc in the new root");
  Result<std::vector<FolderEntry>> entries = list_folder("/etc");
  if (!entries) return tl::unexpected<Error>(entries.error());
  for (const FolderEntry& entry : *entries) {
    RETURN_IF_ERROR(bind_entry("/etc/" + entry.name, etc.get(), entry.name));
  }
  for (const char* name : {"hostname", "hosts", "resolv.conf"}) {
    if (::faccessat(etc.get(), name, F_OK, AT_SYMLINK_NOFOLLOW) != 0) {
      RETURN_IF_ERROR(make_entry(etc.get(), name, S_IFREG));
    }
  }
  return ok();
}

Status InstanceRoot::mount_tmpfs(const std::string& path, const std::string& mode,
                                 std::uint64_t bytes) {
  Result<os::UniqueFd> tree = os::make_file_system(
      "tmpfs", {{"mode", mode}, {"size", std::to_string(bytes)}}, kWritable);
  if (!tree) return tl::unexpected<Error>(tree.error());
  return attach_over(tree->get(), path);
}

Status InstanceRoot::attach_over(int tree, const std::string& path) {
  Result<os::UniqueFd> place = os::open_in_root(root(), path);
  if (!place) return tl::unexpected<Error>(place.error());
  return os::attach_tree(tree, place->get(), path);
}

Status InstanceRoot::make_writable_folders() {
  const std::uint64_t half = plan_.memory_bytes / 2;
  for (const char* name : {"dev", "opt", "proc", "run", "sys", "tmp"}) {
    RETURN_IF_ERROR(make_entry(root(), name, S_IFDIR));
  }
  RETURN_IF_ERROR(mount_tmpfs("/tmp", "1777", half));
  RETURN_IF_ERROR(mount_tmpfs("/run", "755", half));
  struct stat status{};
  if (::lstat("/var/tmp", &status) == 0 && S_ISDIR(status.st_mode)) {
    RETURN_IF_ERROR(mount_tmpfs("/var/tmp", "1777", half));
  }
  Result<os::UniqueFd> lock = os::make_folder_in_root(root(), "/run/lock");
  if (!lock) return tl::unexpected<Error>(lock.error());
  return ok();
}

Status InstanceRoot::make_opt() {
  RETURN_IF_ERROR(mount_tmpfs("/opt", "755", kSmallBytes));
  Result<os::UniqueFd> opt = os::open_in_root(root(), "/opt");
  if (!opt) return tl::unexpected<Error>(opt.error());
  // First ours, so that an /opt/ml of the machine is not shown.
  RETURN_IF_ERROR(make_entry(opt->get(), "ml", S_IFDIR));
  Result<os::UniqueFd> tree = os::copy_tree(plan_.ml_folder, kWritable);
  if (!tree) return tl::unexpected<Error>(tree.error());
  if (Result<std::vector<FolderEntry>> entries = list_folder("/opt")) {
    for (const FolderEntry& entry : *entries) {
      if (entry.name == "ml") continue;
      RETURN_IF_ERROR(bind_entry("/opt/" + entry.name, opt->get(), entry.name));
    }
  }
  return attach_over(tree->get(), "/opt/ml");
}

Status InstanceRoot::finish() {
  for (const std::string& path : plan_.masked_paths) RETURN_IF_ERROR(mask(path));
  RETURN_IF_ERROR(os::make_read_only(root()));
  return os::become_root(root());
}

// An empty read-only folder, or an empty file that refuses writes. What is not there needs no
// mask, nor does what lies in a folder that is closed to this user: the program has its rights.
Status InstanceRoot::mask(const std::string& path) {
  Result<os::UniqueFd> place = os::open_in_root(root(), path);
  if (!place) {
    const ErrorCode code = place.error().code;
    const bool out_of_reach = code == ErrorCode::kNotFound || code == ErrorCode::kPermissionDenied;
    return out_of_reach ? ok() : Status(tl::unexpected<Error>(place.error()));
  }
  struct stat status{};
  if (::fstat(place->get(), &status) != 0) return errno_failure(errno, "stat " + path);
  const MountAttributes hidden{.access = Access::kReadOnly};
  Result<os::UniqueFd> cover =
      S_ISDIR(status.st_mode)
          ? os::make_file_system("tmpfs", {{"mode", "555"}, {"size", "4096"}}, hidden)
          : os::copy_tree("/dev/null", {.access = Access::kReadOnly, .no_devices = false});
  if (!cover) return tl::unexpected<Error>(cover.error());
  return os::attach_tree(cover->get(), place->get(), "a mask over " + path);
}

// By descriptor: paths may hold the characters that separate overlay's options.
Result<os::UniqueFd> InstanceRoot::make_overlay(const Mount& mount) const {
  std::array<os::UniqueFd, 3> folders;
  std::array<std::string, 3> names;
  const std::array paths = {mount.lower, mount.upper, mount.work};
  for (std::size_t i = 0; i < paths.size(); ++i) {
    folders.at(i).reset(::open(paths.at(i).c_str(), O_PATH | O_CLOEXEC));
    if (!folders.at(i)) return errno_failure(errno, "open " + paths.at(i).string());
    names.at(i) = "/proc/self/fd/" + std::to_string(folders.at(i).get());
  }
  os::MountOptions options = {
      {"lowerdir", names[0]}, {"upperdir", names[1]}, {"workdir", names[2]}};
  if (plan_.rootness == Rootness::kUserNamespace) options.emplace_back("userxattr", "");
  // Without it each end of an overlay writes out the whole file system below, tens of
  // milliseconds; the upper folder lives no longer than the instance.
  options.emplace_back("volatile", "");
  return os::make_file_system("overlay", options, kWritable);
}

bool InstanceRoot::try_overlay(const std::string& folder) const {
  const std::filesystem::path probe = std::filesystem::path(folder) / ".overlay-probe";
  Mount mount;
  mount.kind = Mount::Kind::kOverlay;
  mount.lower = probe / "lower";
  mount.upper = probe / "upper";
  mount.work = probe / "work";
  std::error_code error;
  for (const auto& path : {mount.lower, mount.upper, mount.work}) {
    std::filesystem::create_directories(path, error);
  }
  const bool works = !error && make_overlay(mount).has_value();
  std::filesystem::remove_all(probe, error);
  return works;
}

Status InstanceRoot::add(const Mount& mount) {
  const std::string target = mount.target.string();
  Result<os::UniqueFd> tree =
      mount.kind == Mount::Kind::kOverlay
          ? make_overlay(mount)
          : os::copy_tree(mount.source, mount.kind == Mount::Kind::kBind ? kWritable : kShown);
  if (!tree) return failure_in("mount on " + target, tree.error());
  Result<os::UniqueFd> place = os::open_in_root(root(), target);
  if (!place && place.error().code == ErrorCode::kNotFound) {
    struct stat status{};
    const bool file = mount.kind != Mount::Kind::kOverlay &&
                      ::stat(mount.source.c_str(), &status) == 0 && !S_ISDIR(status.st_mode);
    place = os::make_folder_in_root(root(), file ? mount.target.parent_path().string() : target);
    if (place && file) {
      RETURN_IF_ERROR(make_entry(place->get(), mount.target.filename(), S_IFREG));
      place = os::open_in_root(root(), target);
    }
  }
  if (!place) return failure_in("mount on " + target, place.error());
  return os::attach_tree(tree->get(), place->get(), target);
}

}  // namespace evener::sandbox
