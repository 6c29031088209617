// Mounts by descriptor: a tree is made detached, given its attributes, and only then attached.
//
// Used by:  sandbox (in an instance's init).
// Threads:  any; mounts belong to the mount namespace of the calling thread.
// Fails:    with the code of errno; messages name the step and the path.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "os/unique_fd.h"

namespace evener::os {

enum class Access { kReadWrite, kReadOnly };

struct MountAttributes {
  Access access = Access::kReadWrite;
  bool no_devices = true;   // nodev: device nodes in it cannot be opened
  bool no_setuid = true;
};

// No mount made here or later reaches another namespace.
Status make_mounts_private();

// A detached copy of the tree of mounts at `path`, with attributes on each of them.
Result<UniqueFd> copy_tree(const std::string& path, const MountAttributes& attributes);

// A detached new file system: "tmpfs", "proc", "devpts", "overlay", ... Options without a value
// are flags.
using MountOptions = std::vector<std::pair<std::string, std::string>>;
Result<UniqueFd> make_file_system(const std::string& type, const MountOptions& options,
                                  const MountAttributes& attributes);

// Places a detached tree over what `target` refers to.
Status attach_tree(int tree, int target, std::string_view what);

// Opens `path` as if `root` were "/": symlinks in it cannot lead out. O_PATH.
Result<UniqueFd> open_in_root(int root, const std::string& path);
// The same, making folders that are missing.
Result<UniqueFd> make_folder_in_root(int root, const std::string& path);

// Makes the tree attached at `root` the root of this mount namespace and drops the old one.
Status become_root(int root);
// Makes the mount at `root` itself read-only, not those below.
Status make_read_only(int root);

}  // namespace evener::os
