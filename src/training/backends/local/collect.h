// Brings a job's results home: model and output of all hosts packed or copied to the output URI;
// what could not be stored is kept.
//
// Used by:  Supervision, store_results() on a background thread.
// Threads:  functions; store_results() blocks.
// Fails:    store_results(): errors of artifacts::pack_archive.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "training/artifacts/artifacts.h"
#include "training/backends/local/local.h"
#include "training/backends/local/sampler.h"

namespace evener::backends {

inline constexpr std::size_t kMaxReportedClashes = 1000;
inline constexpr std::size_t kMaxReportedLeftOut = 20;

struct HostResults {
  std::string host;
  std::filesystem::path ml_folder;   // on the machine
  std::string ml_path;               // as the job saw it
};

struct CollectOrder {
  const jobs::JobSpec& spec;
  const std::vector<HostResults>& hosts;   // natural order: the lowest host wins a clash
  os::FileSystem& files;
  const storage::StoreSet& stores;
  const Clock& clock;
  SampleLog& samples;
};

struct StoredResults {
  jobs::ArtifactReport report;
  std::vector<std::string> notices;
};
Result<StoredResults> store_results(const CollectOrder& order, const std::stop_token& stop);

// Moves what the hosts left in model and output/data to `folder`/<host>/; "" if there was nothing.
Result<std::filesystem::path> keep_results(os::FileSystem& files,
                                           const std::vector<HostResults>& hosts,
                                           const std::filesystem::path& folder);

// Adds the share of its step time that each host's program waited for input.
void add_input_waits(const std::vector<HostResults>& hosts,
                     std::vector<jobs::InstanceUsage>& usage);

}  // namespace evener::backends
