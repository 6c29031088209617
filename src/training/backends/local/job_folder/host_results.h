// Where the hosts of a job leave their results, and how these are kept if they cannot be stored.
//
// Used by:  JobSteps and store_results (supervisor); SupervisorLink after a supervisor's death.
// Threads:  values and functions.
// Fails:    keep_results() with errors of the file system.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/file_system.h"

namespace evener::backends {

struct HostResults {
  std::string host;
  std::filesystem::path ml_folder;   // on the machine
  std::string ml_path;               // as the job saw it
};

// Folders below /opt/ml, by their parts.
using MlFolder = std::vector<std::string>;
inline const MlFolder kModelFolder = {"model"};
inline const MlFolder kOutputFolder = {"output", "data"};

std::filesystem::path below(std::filesystem::path folder, const MlFolder& parts);

// Moves what the hosts left in model and output/data to `folder`/<host>/; "" if there was nothing.
Result<std::filesystem::path> keep_results(os::FileSystem& files,
                                           const std::vector<HostResults>& hosts,
                                           const std::filesystem::path& folder);

}  // namespace evener::backends
