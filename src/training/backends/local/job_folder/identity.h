// Which process supervises a job: its pid, start time and boot, in a file of the job's folder.
//
// Used by:  run_supervisor (writes), SupervisorLink (looks whether it still lives).
// Threads:  functions.
// Fails:    errors of the file system; kCorrupt on a file that is not ours.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "os/file_system.h"
#include "os/unique_fd.h"

namespace evener::backends {

struct SupervisorIdentity {
  pid_t pid = 0;
  std::uint64_t start_time = 0;    // clock ticks since boot; pids are used again
  std::string boot{};              // os::boot_id(); "": of a file that does not tell
  bool operator==(const SupervisorIdentity&) const = default;
};

Status write_identity(os::FileSystem& files, const std::filesystem::path& path, pid_t pid);
// Nothing if no supervisor ever wrote one.
Result<std::optional<SupervisorIdentity>> read_identity(os::FileSystem& files,
                                                        const std::filesystem::path& path);
// A pidfd of exactly that process; nothing if it has ended.
std::optional<os::UniqueFd> open_supervisor(const SupervisorIdentity& identity);

}  // namespace evener::backends
