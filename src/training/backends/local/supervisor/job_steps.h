// One job from its instances to its results: stage, install, train, collect. Each step either
// succeeds or says how the job ends; what was made is undone by the owner of the parts.
//
// Used by:  run_supervisor; tests with a sandbox of their own.
// Threads:  one; staging and packing run on a background thread each.
// Fails:    never: the answer of run() is how the job ends.
#pragma once

#include <optional>
#include <vector>

#include "training/backends/local/supervisor/collect.h"
#include "training/backends/local/supervisor/event_loop.h"
#include "training/backends/local/supervisor/host_outputs.h"
#include "training/backends/local/supervisor/recorder.h"
#include "training/backends/local/supervisor/sampler.h"
#include "training/backends/local/supervisor/staging.h"

namespace evener::backends {

struct JobParts {
  const Plan& plan;
  const JobFolder& folder;
  const Clock& clock;
  os::FileSystem& files;
  const storage::StoreSet& stores;
  sandbox::Sandbox& instances;
  Recorder& recorder;
  EventLoop& loop;
  SampleLog& samples;
  logs::LogWriter& logs;
};

class JobSteps {
 public:
  explicit JobSteps(const JobParts& parts);
  // Everything up to, but without, tearing down and recording how it ended.
  jobs::Ended run();

 private:
  // Each answers the job's end if it ends here.
  using EndsHere = std::optional<jobs::Ended>;
  EndsHere stage();
  EndsHere make_instances();
  EndsHere install_requirements();
  EndsHere start_programs();
  void train();
  jobs::Ended collect();
  jobs::Ended keep_unstored(const Error& error);

  runner::InstanceFacts facts(const std::string& host) const;
  std::vector<sandbox::Mount> channel_mounts(const std::string& host) const;
  EndsHere stopped() const;

  JobParts parts_;
  std::vector<std::string> hosts_;          // natural order
  std::vector<HostResults> results_;
  StagedInput input_;
  HostOutputs outputs_;
  Sampler sampler_;
  std::vector<sandbox::HostEvent> not_started_;
};

}  // namespace evener::backends
