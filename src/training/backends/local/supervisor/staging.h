// Brings a job's input: channels listed, sharded and staged, the source code prepared.
//
// Used by:  JobSteps, on a background thread.
// Threads:  a function that blocks; stops early when asked.
// Fails:    with the job's failure reason, "ClientError: ..." and so on; kCancelled when stopped.
#pragma once

#include <stop_token>

#include "training/artifacts/artifacts.h"
#include "training/backends/local/supervisor/instance_setup.h"
#include "training/backends/local/supervisor/sampler.h"

namespace evener::backends {

struct StagingOrder {
  const Plan& plan;
  const JobFolder& folder;
  std::filesystem::path code;          // where prepare_code() is to put the source code
  bool overlay_possible = false;
  os::FileSystem& files;
  const storage::StoreSet& stores;
  const Clock& clock;
  SampleLog& samples;
};

struct StagedInput {
  artifacts::StagedChannels channels;
  JobCode code;
};

// Threads for copying and packing: one per CPU, at most this many.
inline constexpr std::size_t kMaxCopyThreads = 8;
std::size_t copy_threads();

// The samples that progress of `phase` is written to.
artifacts::ProgressSink progress_into(SampleLog& samples, const Clock& clock, std::string phase);

bool needs_staging(const jobs::JobSpec& spec);
Result<StagedInput> stage_input(const StagingOrder& order, const std::stop_token& stop);

}  // namespace evener::backends
