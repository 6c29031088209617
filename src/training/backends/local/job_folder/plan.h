// All that a supervisor must know, written by the backend before it starts one: plan.json.
//
// Used by:  launch_supervisor (writes), run_supervisor (reads).
// Threads:  values and functions.
// Fails:    kCorrupt on text that plan_text() did not write; errors of the file system.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/file_system.h"
#include "training/backends/local/job_folder/engine_kind.h"
#include "training/jobs/jobs.h"
#include "training/sandbox/sandbox.h"

namespace evener::backends {

// The supervisor's first connection to an engine is given to it as this descriptor.
inline constexpr int kEngineDescriptor = 3;

struct Plan {
  jobs::TrainingJob job;             // as launched: spec, ARN, placements
  EngineKind engine_kind = EngineKind::kEmbedded;
  sandbox::Isolation isolation = sandbox::Isolation::kNamespaces;
  std::vector<std::string> masked_paths;
  std::vector<sandbox::HostService> host_services;
  std::map<std::string, std::string> host_environment;
};

std::string plan_text(const Plan& plan);
Result<Plan> plan_from_text(std::string_view text);

// Mode 0600: the environment of a job may hold secrets.
Status write_plan(os::FileSystem& files, const std::filesystem::path& path, const Plan& plan);
Result<Plan> read_plan(os::FileSystem& files, const std::filesystem::path& path);

}  // namespace evener::backends
