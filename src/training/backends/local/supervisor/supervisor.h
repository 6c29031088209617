// The process that runs one job: makes the instances, stages channels, runs the programs, watches,
// collects, and writes a journal that outlives it and its engine.
//
// Used by:  apps (`evener supervise`, which the engine's side starts for each job).
// Threads:  called while the process has one thread; see ARCHITECTURE.md for those it starts.
// Fails:    answers the process's exit code; the job's own outcome is in the journal.
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "os/file_system.h"
#include "storage/storage.h"
#include "training/jobs/jobs.h"

namespace evener::backends {

// What the stores of a job are made with.
struct StoreWishes {
  std::filesystem::path job_folder;
  // Told why requests fail and are tried again, with "" once they succeed; from any thread.
  std::function<void(const std::string&)> trouble;
  std::stop_token stop;                // gives up all transfers
};
// Adds the stores that there are besides file://.
using AddStores = std::function<void(storage::StoreSet&, const StoreWishes&)>;

// The body of `evener supervise --job-folder DIR`: runs the job in `folder` to its end.
int run_supervisor(const std::filesystem::path& folder, const Clock& clock, Random& random,
                   const AddStores& add_stores);

// Stores what an earlier upload could not and left in the job's folder, and removes it there.
// kNotFound: nothing is left.
struct KeptResults {
  const jobs::JobSpec& spec;
  std::filesystem::path job_folder;
};
struct UploadedResults {
  jobs::ArtifactReport report;
  std::vector<std::string> notices;
};
Result<UploadedResults> upload_kept(const KeptResults& kept, const storage::StoreSet& stores,
                                    os::FileSystem& files, const Clock& clock);

}  // namespace evener::backends
