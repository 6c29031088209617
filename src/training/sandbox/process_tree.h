// The processes below one process, from /proc: for instances without control groups.
//
// Used by:  sandbox.
// Threads:  any.
// Fails:    processes that end meanwhile are left out.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace evener::sandbox {

// Children of `root`, their children, and so on; without `root`.
std::vector<pid_t> descendants(pid_t root);

struct TreeUsage {
  std::uint64_t cpu_nanos = 0;      // of those that run and of all that this process has waited for
  std::uint64_t memory_bytes = 0;   // resident, without pages of files
};
// Of the calling process's descendants.
TreeUsage usage_of_descendants();

// Running processes with an environment entry that starts with `start`; a NUL at its end makes it
// the whole entry. Not this process.
std::vector<pid_t> processes_with_environment(const std::string& start);

}  // namespace evener::sandbox
