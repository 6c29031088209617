// Child processes by pidfd.
//
// Used by:  backends/local (supervisors), sandbox (helpers such as the uplink).
// Threads:  a Process belongs to one thread; kill() may come from any.
// Fails:    with the code of errno; a program that cannot be executed is an error of spawn().
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "os/unique_fd.h"

namespace evener::os {

struct SpawnOptions {
  std::vector<std::string> argv;                 // argv[0] is the path of the program
  std::vector<std::string> environment = {};     // "K=V"; the whole environment of the child
  std::string directory = "/";
  std::vector<std::pair<int, int>> descriptors = {};  // (ours, the child's); all others are closed,
                                                      // and 0-2 are the null device if not given
  bool new_session = false;                      // survives our terminal and our process group
  bool die_with_parent = false;                  // SIGKILL when the spawning thread ends
};

struct ExitStatus {
  int code = 0;     // 128 + signal when a signal ended it
  int signal = 0;
};

class Process {
 public:
  virtual ~Process() = default;                  // does not kill; a zombie is reaped by wait()
  virtual pid_t pid() const = 0;
  virtual int pidfd() const = 0;                 // readable once it has ended
  virtual Status kill(int signal) = 0;           // no error if it has ended
  // Nothing if it still runs after `timeout`. The first answer is kept.
  virtual Result<std::optional<ExitStatus>> wait(std::chrono::milliseconds timeout) = 0;
};

Result<std::unique_ptr<Process>> spawn(const SpawnOptions& options);

// A process that is not our child (found again after a restart): kill and liveness only.
Result<UniqueFd> open_pidfd(pid_t pid);
bool pidfd_ended(int pidfd);
// Start time in clock ticks since boot, from /proc/<pid>/stat: with the pid it names a process
// for good, since pids are used again.
Result<std::uint64_t> process_start_time(pid_t pid);

// The kernel's name for the time since the machine started: a pid with a start time is one process's
// only together with it.
Result<std::string> boot_id();

// The path of this program, for starting itself in another role.
Result<std::string> self_executable();

}  // namespace evener::os
