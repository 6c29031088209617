#include "os/namespace_mounts.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace evener::os {
namespace {

std::uint64_t attribute_bits(const MountAttributes& attributes) {
  std::uint64_t bits = 0;
  if (attributes.access == Access::kReadOnly) bits |= MOUNT_ATTR_RDONLY;
  if (attributes.no_devices) bits |= MOUNT_ATTR_NODEV;
  if (attributes.no_setuid) bits |= MOUNT_ATTR_NOSUID;
  return bits;
}

}  // namespace

Status make_mounts_private() {
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    return errno_failure(errno, "make mounts private");
  }
  return ok();
}

Result<UniqueFd> copy_tree(const std::string& path, const MountAttributes& attributes) {
  UniqueFd tree(::open_tree(AT_FDCWD, path.c_str(),
                            OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE));
  if (!tree) return errno_failure(errno, "open_tree " + path);
  mount_attr attr{};
  attr.attr_set = attribute_bits(attributes);
  if (attr.attr_set != 0 && ::mount_setattr(tree.get(), "", AT_EMPTY_PATH | AT_RECURSIVE, &attr,
                                            sizeof attr) != 0) {
    return errno_failure(errno, "mount_setattr " + path);
  }
  return tree;
}

Result<UniqueFd> make_file_system(const std::string& type, const MountOptions& options,
                                  const MountAttributes& attributes) {
  const UniqueFd context(::fsopen(type.c_str(), FSOPEN_CLOEXEC));
  if (!context) return errno_failure(errno, "fsopen " + type);
  for (const auto& [key, value] : options) {
    const bool flag = value.empty();
    if (::fsconfig(context.get(), flag ? FSCONFIG_SET_FLAG : FSCONFIG_SET_STRING, key.c_str(),
                   flag ? nullptr : value.c_str(), 0) != 0) {
      return errno_failure(errno, type + " option " + key + "=" + value);
    }
  }
  if (::fsconfig(context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) {
    return errno_failure(errno, "make " + type);
  }
  UniqueFd tree(::fsmount(context.get(), FSMOUNT_CLOEXEC,
                          static_cast<unsigned>(attribute_bits(attributes))));
  if (!tree) return errno_failure(errno, "fsmount " + type);
  return tree;
}

Status attach_tree(int tree, int target, std::string_view what) {
  if (::move_mount(tree, "", target, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) !=
      0) {
    return errno_failure(errno, "mount " + std::string(what));
  }
  return ok();
}

Result<UniqueFd> open_in_root(int root, const std::string& path) {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT;
  const long fd = ::syscall(SYS_openat2, root, path.c_str(), &how, sizeof how);
  if (fd < 0) return errno_failure(errno, "open " + path + " in the new root");
  return UniqueFd(static_cast<int>(fd));
}

Result<UniqueFd> make_folder_in_root(int root, const std::string& path) {
  std::string done;
  Result<UniqueFd> folder = open_in_root(root, "/");
  for (std::size_t begin = 0; folder && begin < path.size();) {
    std::size_t end = path.find('/', begin);
    if (end == std::string::npos) end = path.size();
    const std::string name = path.substr(begin, end - begin);
    begin = end + 1;
    if (name.empty() || name == ".") continue;
    done += "/" + name;
    Result<UniqueFd> next = open_in_root(root, done);
    if (!next && next.error().code == ErrorCode::kNotFound) {
      if (::mkdirat(folder->get(), name.c_str(), 0755) != 0 && errno != EEXIST) {
        return errno_failure(errno, "make " + done + " in the new root");
      }
      next = open_in_root(root, done);
    }
    folder = std::move(next);
  }
  return folder;
}

Status become_root(int root) {
  if (::fchdir(root) != 0) return errno_failure(errno, "enter the new root");
  // Stacks the old root over the new one at the same place, from where it is dropped.
  if (::syscall(SYS_pivot_root, ".", ".") != 0) return errno_failure(errno, "pivot_root");
  if (::umount2(".", MNT_DETACH) != 0) return errno_failure(errno, "drop the old root");
  if (::chdir("/") != 0) return errno_failure(errno, "chdir /");
  return ok();
}

Status make_read_only(int root) {
  mount_attr attr{};
  attr.attr_set = MOUNT_ATTR_RDONLY;
  if (::mount_setattr(root, "", AT_EMPTY_PATH, &attr, sizeof attr) != 0) {
    return errno_failure(errno, "make a mount read-only");
  }
  return ok();
}

}  // namespace evener::os
