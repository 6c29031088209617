// Starting the supervisor of one job: folder, plan, process, and the first connection to it.
//
// Used by:  make_local_backend, SupervisorLink (a job that was launched but never handed over).
// Threads:  functions.
// Fails:    errors of the file system and of spawning; what was written stays for a next try.
#pragma once

#include <memory>

#include "base/result.h"
#include "os/file_system.h"
#include "os/process.h"
#include "os/socket.h"
#include "training/backends/local/local.h"
#include "training/jobs/jobs.h"

namespace evener::backends {

struct LaunchedSupervisor {
  std::unique_ptr<os::Process> process;
  os::LineConnection connection;      // the attach command was sent
};
Result<LaunchedSupervisor> launch_supervisor(const LocalOptions& options, os::FileSystem& files,
                                             const jobs::TrainingJob& job);

// Removes instance folders that hold files of subordinate ids, by a supervisor that does only
// that. For jobs whose supervisor is gone.
Status remove_instances_by_supervisor(const LocalOptions& options, const JobFolder& folder);

}  // namespace evener::backends
