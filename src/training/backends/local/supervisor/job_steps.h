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
#include "training/backends/local/supervisor/store_trouble.h"
#include "training/backends/local/supervisor/task_phase.h"

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
  StoreTrouble& trouble;
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

  // Runs work that moves objects; what its stores complain of becomes the job's message.
  Status run_transfer(std::function<void(std::stop_token)> work, TaskStop on_stop);
  void tell_trouble();

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
  std::optional<std::string> message_before_trouble_;
};

}  // namespace evener::backends
