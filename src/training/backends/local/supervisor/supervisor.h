// The process that runs one job: makes the instances, stages channels, runs the programs, watches,
// collects, and writes a journal that outlives it and its engine.
//
// Used by:  apps (`evener supervise`, which the engine's side starts for each job).
// Threads:  called while the process has one thread; see ARCHITECTURE.md for those it starts.
// Fails:    answers the process's exit code; the job's own outcome is in the journal.
#pragma once

#include <filesystem>

#include "base/clock.h"

namespace evener::backends {

// The body of `evener supervise --job-folder DIR`: runs the job in `folder` to its end.
int run_supervisor(const std::filesystem::path& folder, const Clock& clock);

}  // namespace evener::backends
