// Processes in new namespaces, by clone3(2) without exec, and the identity maps of user namespaces.
//
// Used by:  sandbox.
// Threads:  clone_process() and enter_new_user_namespace() while the process has one thread.
// Fails:    with the code of errno; kPermissionDenied or kUnsupported where the machine refuses.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "base/result.h"
#include "os/unique_fd.h"

namespace evener::os {

struct ClonedProcess {
  pid_t pid = 0;      // 0 in the child
  UniqueFd pidfd;     // readable once the child has ended; empty in the child
};

// Returns twice, as fork(2) does. `flags` are CLONE_NEW* flags, and CLONE_FILES for a child that
// shares our descriptors. The child's SIGCHLD goes to us.
Result<ClonedProcess> clone_process(std::uint64_t flags);

enum class IdRange {
  kSingle,       // the own user and group, seen as 0
  kSubordinate,  // and the ranges of /etc/subuid and /etc/subgid, seen as 1, 2, ...
};

// Moves this process into a new user namespace in which it is root. Files that it makes still
// belong to the user. Takes the subordinate ranges where the machine has them for this user.
Result<IdRange> enter_new_user_namespace();

// Waits for `pidfd`'s process, which must be our child, and returns its wait status as
// 128 + signal or its exit code.
Result<int> reap(int pidfd);

// Moves the calling thread into the namespace of `descriptor` (setns(2)).
Status enter_namespace(int descriptor, int kind);

// SIGKILL when the parent thread ends. The caller checks by another way that it has not yet.
Status die_with_parent();

}  // namespace evener::os
