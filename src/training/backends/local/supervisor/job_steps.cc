#include "training/backends/local/supervisor/job_steps.h"

#include <utility>

#include "training/backends/local/supervisor/host_programs.h"
#include "training/backends/local/supervisor/install_phase.h"
#include "training/backends/local/supervisor/task_phase.h"
#include "training/backends/local/supervisor/train_phase.h"

namespace evener::backends {
namespace {

jobs::Ended failed(std::string reason) {
  return {.status = jobs::JobStatus::kFailed,
          .secondary = jobs::SecondaryStatus::kFailed,
          .failure_reason = std::move(reason)};
}

jobs::Ended internal_error(const Error& error) {
  return failed("InternalServerError: " + error.message);
}

std::string install_failure(const sandbox::HostEvent& event) {
  const std::string log = "; its output is in the log of " + event.host;
  if (event.kind == sandbox::HostEvent::Kind::kStartFailed) {
    return "AlgorithmError: requirements.txt could not be installed: " + event.text + log;
  }
  if (event.kind == sandbox::HostEvent::Kind::kInstanceLost) {
    return "InternalServerError: instance " + event.host +
           " was lost while requirements.txt was installed";
  }
  return "AlgorithmError: requirements.txt could not be installed: pip ended with exit code " +
         std::to_string(event.exit_code) + log;
}

}  // namespace

JobSteps::JobSteps(const JobParts& parts)
    : parts_(parts), sampler_(parts.instances, parts.samples, parts.clock) {
  for (const jobs::Instance& instance : parts.plan.job.instances) {
    const std::string& host = instance.placement.host;
    hosts_.push_back(host);
    results_.push_back({host, parts.instances.ml_folder(host), parts.instances.ml_path(host)});
  }
}

jobs::Ended JobSteps::run() {
  for (const std::string& notice : parts_.instances.notices()) {
    parts_.recorder.record(jobs::Noticed{notice});
  }
  if (auto ended = stage()) return *ended;
  if (auto ended = make_instances()) return *ended;
  if (auto ended = install_requirements()) return *ended;
  if (auto ended = start_programs()) return *ended;
  train();
  return collect();
}

JobSteps::EndsHere JobSteps::stage() {
  const jobs::JobSpec& spec = parts_.plan.job.spec;
  if (!needs_staging(spec)) return std::nullopt;
  const bool has_channels = !spec.channels.empty();
  if (has_channels) parts_.recorder.record(jobs::StagingStarted{});
  const StagingOrder order{.plan = parts_.plan,
                           .folder = parts_.folder,
                           .code = code_folder(parts_.plan, parts_.folder, parts_.instances),
                           .overlay_possible = parts_.instances.overlay_possible(),
                           .files = parts_.files,
                           .stores = parts_.stores,
                           .clock = parts_.clock,
                           .samples = parts_.samples};
  Result<StagedInput> staged;
  const Status ran = run_transfer(
      [&](const std::stop_token& stop) { staged = stage_input(order, stop); }, TaskStop::kCancels);
  if (!ran) return internal_error(ran.error());
  if (auto ended = stopped()) return ended;
  if (!staged) return failed(staged.error().message);
  input_ = std::move(*staged);
  if (has_channels) {
    parts_.recorder.record(jobs::ChannelsStaged{.channels = input_.channels.reports});
  }
  for (const std::string& notice : input_.channels.notices) {
    parts_.recorder.record(jobs::Noticed{notice});
  }
  return std::nullopt;
}

JobSteps::EndsHere JobSteps::make_instances() {
  auto outputs = HostOutputs::open(hosts_, parts_.logs);
  if (!outputs) return internal_error(outputs.error());
  outputs_ = std::move(*outputs);
  for (const std::string& host : hosts_) {
    const auto ml_folder = parts_.instances.ml_folder(host);
    auto mounts = channel_mounts(host);
    Status made = write_contract(parts_.files, parts_.plan.job, facts(host), ml_folder);
    if (made) {
      made = show_code(parts_.files, parts_.plan, parts_.folder, parts_.instances, host,
                       input_.code, mounts);
    }
    for (auto& programs : program_mounts(parts_.plan, parts_.files)) {
      mounts.push_back(std::move(programs));
    }
    if (made) made = parts_.instances.mount(host, mounts);
    if (!made) {
      return internal_error({made.error().code, "instance " + host + ": " + made.error().message});
    }
  }
  return std::nullopt;
}

JobSteps::EndsHere JobSteps::install_requirements() {
  if (!input_.code.installs) return std::nullopt;
  const std::string& host = hosts_.front();
  const runner::InstanceFacts host_facts = facts(host);
  const auto command = runner::requirements_command(parts_.plan.job, host_facts,
                                                    host_facts.ml_path + "/code");
  parts_.recorder.record(jobs::StatusMessageChanged{"Installing requirements.txt"});
  auto output = outputs_.share(host);
  if (!output) return internal_error(output.error());
  if (auto run = parts_.instances.run(host, sandbox_command(command), std::move(*output)); !run) {
    return failed("AlgorithmError: requirements.txt could not be installed: " +
                  run.error().message);
  }
  InstallPhase phase(parts_.instances, host);
  parts_.loop.run(phase);
  if (auto ended = stopped()) return ended;
  const sandbox::HostEvent& event = phase.ended();
  const bool fine = event.kind == sandbox::HostEvent::Kind::kExited && event.exit_code == 0;
  if (!fine) return failed(install_failure(event));
  // From here on the layer is for reading, on the host that filled it as on the others.
  Status closed = parts_.instances.make_read_only(host, host_facts.requirements_layer);
  if (!closed) return internal_error(closed.error());
  return std::nullopt;
}

JobSteps::EndsHere JobSteps::start_programs() {
  std::vector<sandbox::Command> commands;
  for (const std::string& host : hosts_) {
    auto command = runner::instance_command(parts_.plan.job, facts(host));
    if (!command) return failed("ClientError: " + command.error().message);
    commands.push_back(sandbox_command(*command));
  }
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    auto run = parts_.instances.run(hosts_[i], commands[i], outputs_.hand_over(hosts_[i]));
    if (run) continue;
    sandbox::HostEvent event;
    event.kind = sandbox::HostEvent::Kind::kStartFailed;
    event.host = hosts_[i];
    event.text = run.error().message;
    not_started_.push_back(std::move(event));
  }
  parts_.recorder.record(jobs::TrainingStarted{});
  const jobs::TrainingJob& job = parts_.plan.job;
  for (const jobs::Instance& instance : job.instances) {
    const auto& group = jobs::group_of(job.spec, instance.placement);
    sampler_.begin(instance.placement.host, usable_cpus(job.spec, group, count_machine_cpus()));
  }
  return std::nullopt;
}

void JobSteps::train() {
  TrainPhase phase(parts_.recorder, parts_.instances, sampler_, parts_.clock,
                   [this](const std::string& host) { return parts_.logs.last_words(host); });
  for (const sandbox::HostEvent& event : not_started_) phase.host_event(event);
  parts_.loop.run(phase);
}

jobs::Ended JobSteps::collect() {
  parts_.recorder.record(jobs::UploadingStarted{});
  const CollectOrder order{.spec = parts_.plan.job.spec,
                           .hosts = results_,
                           .files = parts_.files,
                           .stores = parts_.stores,
                           .clock = parts_.clock,
                           .samples = parts_.samples};
  Result<StoredResults> stored;
  const Status ran = run_transfer(
      [&](const std::stop_token& stop) { stored = store_results(order, stop); },
      TaskStop::kAtOnceCancels);
  if (!ran) return keep_unstored(ran.error());

  auto usage = sampler_.totals();
  add_input_waits(results_, usage);
  parts_.recorder.record(jobs::UsageReported{.instances = std::move(usage)});
  if (!stored) return keep_unstored(stored.error());
  parts_.recorder.record(jobs::ArtifactsStored{.artifacts = std::move(stored->report)});
  for (std::string& notice : stored->notices) {
    parts_.recorder.record(jobs::Noticed{std::move(notice)});
  }
  return jobs::decide_outcome(parts_.recorder.job());
}

jobs::Ended JobSteps::keep_unstored(const Error& error) {
  std::string text = "Artifact upload failed: " + error.message;
  auto kept = keep_results(parts_.files, results_, parts_.folder.unsaved());
  if (!kept) {
    text += "; the results could not be kept either: " + kept.error().message;
  } else if (!kept->empty()) {
    text += "; the results are kept in " + kept->string() + ", `evener jobs upload " +
            parts_.plan.job.spec.name + "` stores them";
  }
  const jobs::Ended outcome = jobs::decide_outcome(parts_.recorder.job());
  // A failure of the program, or the stop that cut the upload off, stays the reason.
  const bool cut_off = error.code == ErrorCode::kCancelled;
  if (outcome.status != jobs::JobStatus::kFailed && !cut_off) {
    return failed("ClientError: " + text);
  }
  parts_.recorder.record(jobs::Noticed{text});
  return outcome;
}

Status JobSteps::run_transfer(std::function<void(std::stop_token)> work, TaskStop on_stop) {
  std::stop_source& give_up = parts_.trouble.give_up;
  auto task = BackgroundTask::start([&](const std::stop_token& stop) {
    const std::stop_callback pass_on(stop, [&] { give_up.request_stop(); });
    work(stop);
  });
  if (!task) return tl::unexpected<Error>(task.error());
  TaskPhase phase(std::move(*task), on_stop,
                  {.act = [this] { tell_trouble(); }, .clock = parts_.clock});
  parts_.loop.run(phase);
  tell_trouble();
  return ok();
}

void JobSteps::tell_trouble() {
  const auto news = parts_.trouble.take();
  if (!news) return;
  const jobs::TrainingJob& job = parts_.recorder.job();
  if (!news->empty()) {
    const std::string text = "Waiting for the object store, trying again: " + *news;
    if (!message_before_trouble_ && !job.transitions.empty())
      message_before_trouble_ = job.transitions.back().message;
    parts_.recorder.record(jobs::Noticed{text});
    parts_.recorder.record(jobs::StatusMessageChanged{text});
  } else if (message_before_trouble_) {
    parts_.recorder.record(jobs::StatusMessageChanged{*message_before_trouble_});
    message_before_trouble_.reset();
  }
}

runner::InstanceFacts JobSteps::facts(const std::string& host) const {
  return instance_facts(parts_.plan, parts_.folder, parts_.instances, host, input_.code);
}

std::vector<sandbox::Mount> JobSteps::channel_mounts(const std::string& host) const {
  std::vector<sandbox::Mount> mounts;
  for (const artifacts::ChannelMount& channel : input_.channels.mounts) {
    if (channel.host != host) continue;
    sandbox::Mount mount;
    mount.target = std::filesystem::path("/opt/ml/input/data") / channel.channel;
    if (channel.lower.empty()) {
      mount.kind = sandbox::Mount::Kind::kBind;
      mount.source = channel.upper;
    } else {
      mount.kind = sandbox::Mount::Kind::kOverlay;
      mount.lower = channel.lower;
      mount.upper = channel.upper;
      mount.work = channel.work;
    }
    mounts.push_back(std::move(mount));
  }
  return mounts;
}

JobSteps::EndsHere JobSteps::stopped() const {
  if (!parts_.recorder.job().stop) return std::nullopt;
  return jobs::decide_outcome(parts_.recorder.job());
}

}  // namespace evener::backends
