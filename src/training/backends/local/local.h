// Runs jobs on this machine: the engine's side. It starts one supervisor process per job (folder
// supervisor/) and knows of it only the job's folder and its socket (folder job_folder/).
//
// Used by:  apps (make_local_backend for the engine).
// Threads:  the backend has one thread that listens to all supervisors.
// Fails:    start(): kUnavailable when no supervisor could be started; all later trouble is an
//           event of the job.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "os/file_system.h"
#include "training/backends/backends.h"
#include "training/backends/local/job_folder/job_folder.h"
#include "training/sandbox/sandbox.h"

namespace evener::backends {

struct LocalOptions {
  std::filesystem::path home;
  std::string program;                       // path of the evener binary
  EngineKind engine_kind = EngineKind::kEmbedded;
  sandbox::Isolation isolation = sandbox::Isolation::kNamespaces;  // of jobs that name none
  std::vector<std::string> masked_paths;     // user folders that no job may see
  std::vector<sandbox::HostService> host_services;  // reachable from jobs under a fixed name
  std::map<std::string, std::string> host_environment;  // PATH, LANG, ...: the host image's ENV
};

Result<std::unique_ptr<Backend>> make_local_backend(LocalOptions options, os::FileSystem& files,
                                                    const Clock& clock, EventSink sink);

}  // namespace evener::backends
