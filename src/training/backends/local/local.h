// Runs jobs on this machine: one supervisor process per job, which makes the instances, stages
// channels, watches, collects, and writes a journal that outlives it and its engine.
//
// Used by:  apps (make_local_backend for the engine, run_supervisor for `evener supervise`).
// Threads:  the backend has one thread that listens to all supervisors; see ARCHITECTURE.md for
//           the threads of a supervisor.
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
#include "training/sandbox/sandbox.h"

namespace evener::backends {

// The folder of one job under a home: <home>/jobs/<name>.
struct JobFolder {
  std::filesystem::path root;
  std::filesystem::path journal() const { return root / "journal"; }
  std::filesystem::path plan() const { return root / "plan.json"; }
  std::filesystem::path socket() const { return root / "supervisor.sock"; }
  std::filesystem::path logs() const { return root / "logs"; }
  std::filesystem::path samples() const { return root / "samples"; }
  std::filesystem::path instances() const { return root / "instances"; }
};
JobFolder job_folder(const std::filesystem::path& home, const std::string& job);

// What kind of engine started the job: how long a supervisor waits for the next one.
enum class EngineKind {
  kEmbedded,   // 10 s, then it stops the job and writes why into its journal
  kServer,     // without limit
};

struct LocalOptions {
  std::filesystem::path home;
  std::string program;                       // path of the evener binary
  EngineKind engine_kind = EngineKind::kEmbedded;
  sandbox::Isolation isolation = sandbox::Isolation::kNamespaces;
  std::vector<std::string> masked_paths;     // user folders that no job may see
  std::vector<sandbox::HostService> host_services;  // reachable from jobs under a fixed name
  std::map<std::string, std::string> host_environment;  // PATH, LANG, ...: the host image's ENV
};

Result<std::unique_ptr<Backend>> make_local_backend(LocalOptions options, os::FileSystem& files,
                                                    const Clock& clock, EventSink sink);

// The body of `evener supervise --job-folder DIR`: runs the job in `folder` to its end. Must be
// called while the process has one thread. Returns the process's exit code.
int run_supervisor(const std::filesystem::path& folder, const Clock& clock);

}  // namespace evener::backends
