// Programs of the machine that an instance would not see: its /tmp, /var/tmp and /run are its own,
// but a Python environment may lie in the machine's. Private to the local backend.
//
// Used by:  JobSteps, when it composes an instance's mounts.
// Threads:  pure functions, but for looking whether a folder is there.
// Fails:    never; a folder that is not there is not shown.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "os/file_system.h"
#include "training/backends/local/job_folder/job_folder.h"
#include "training/sandbox/sandbox.h"

namespace evener::backends {

// The folders, outermost only, that hold the programs of `folders` (entries of PATH, the folder of
// the entry point) and lie below an instance's own folders: for ".../bin" the folder above, since
// its programs find their files from there. Never one that holds any of `masked`.
std::vector<std::filesystem::path> hidden_program_folders(
    const std::vector<std::filesystem::path>& folders, const std::vector<std::string>& masked);

// Read-only binds of them at their own paths.
std::vector<sandbox::Mount> program_mounts(const Plan& plan, os::FileSystem& files);

}  // namespace evener::backends
