// The root file system of one instance, built in its own mount namespace.
//
// Used by:  sandbox (instance init).
// Threads:  the init's only thread.
// Fails:    with the step and the path; a half-built root is left to die with its namespace.
//
// The order: build(), then add() for each mount, then finish(). Sources are paths of the
// machine until finish() changes the root; targets are paths in the new root, and symlinks in
// them cannot lead out of it.
#pragma once

#include <string>

#include "base/result.h"
#include "os/namespace_mounts.h"
#include "os/unique_fd.h"
#include "training/sandbox/instance_plan.h"

namespace evener::sandbox {

class InstanceRoot {
 public:
  explicit InstanceRoot(const InstancePlan& plan) : plan_(plan) {}
  Status build();
  Status add(const Mount& mount);
  Status finish();
  // Whether an overlay can be made over folders in `folder`, tried and undone.
  bool try_overlay(const std::string& folder) const;

 private:
  Status bind_machine_folders();
  Status make_etc();
  Status bind_entry(const std::string& from, int into, const std::string& name);
  Status make_writable_folders();
  Status make_devices();
  Status make_opt();
  Status make_kernel_views();
  Status cover_kernel_controls();
  Result<os::UniqueFd> make_overlay(const Mount& mount) const;
  Status place_identity_files();
  Status place_file(const std::string& path, const std::string& text);
  Status mount_tmpfs(const std::string& path, const std::string& mode, std::uint64_t bytes);
  Status mask(const std::string& path);
  Status attach_over(int tree, const std::string& path);
  int root() const { return root_.get(); }

  const InstancePlan& plan_;
  os::UniqueFd root_;
};

}  // namespace evener::sandbox
