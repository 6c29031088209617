// Brings a job's results home: model and output of all hosts packed or copied to the output URI.
//
// Used by:  JobSteps, store_results() on a background thread.
// Threads:  functions; store_results() blocks.
// Fails:    store_results(): errors of artifacts::pack_archive.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "training/artifacts/artifacts.h"
#include "training/backends/local/job_folder/job_folder.h"
#include "training/backends/local/supervisor/sampler.h"

namespace evener::backends {

inline constexpr std::size_t kMaxReportedClashes = 1000;
inline constexpr std::size_t kMaxReportedLeftOut = 20;

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

// Adds the share of its step time that each host's program waited for input.
void add_input_waits(const std::vector<HostResults>& hosts,
                     std::vector<jobs::InstanceUsage>& usage);

}  // namespace evener::backends
