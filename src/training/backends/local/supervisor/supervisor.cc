// The wiring of a supervisor's parts, and their undoing in reverse order.
#include "training/backends/local/supervisor/supervisor.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "os/namespace.h"
#include "os/namespace_privileges.h"
#include "os/socket.h"
#include "training/backends/local/job_folder/job_folder.h"
#include "training/backends/local/supervisor/engine_link.h"
#include "training/backends/local/supervisor/instance_setup.h"
#include "training/backends/local/supervisor/job_steps.h"
#include "training/backends/local/supervisor/metric_log.h"
#include "training/backends/local/supervisor/recorder.h"

namespace evener::backends {
namespace {

// Exit codes of a supervisor; the job's own outcome is in the journal.
constexpr int kExitDone = 0;
constexpr int kExitNotStarted = 2;
constexpr int kExitOtherSupervisor = 3;

constexpr std::chrono::seconds kLogDrain{10};

int not_started(std::string_view step, const Error& error) {
  log_line(LogLevel::kError, "supervisor", step, {{"error", error.message}});
  return kExitNotStarted;
}

// A supervisor was here before and is gone. What is left to do is to remove files of ids that only
// a user namespace of the user's own can touch.
int clear_up(os::FileSystem& files, const JobFolder& folder) {
  if (!os::may_administer()) {
    if (auto entered = os::enter_new_user_namespace(); !entered) {
      return not_started("enter a user namespace", entered.error());
    }
  }
  if (auto removed = files.remove_tree(folder.instances()); !removed) {
    return not_started("remove the instance folders", removed.error());
  }
  return kExitDone;
}

// The connection that the engine passed on, if the descriptor is one.
os::UniqueFd inherited_connection() {
  struct stat status {};
  if (::fstat(kEngineDescriptor, &status) != 0 || !S_ISSOCK(status.st_mode)) return os::UniqueFd();
  ::fcntl(kEngineDescriptor, F_SETFD, FD_CLOEXEC);
  return os::UniqueFd(kEngineDescriptor);
}

// Once the log is complete.
void record_metrics(const MetricLog& metric_log, Recorder& recorder) {
  if (auto values = metric_log.last_values(); !values.empty()) {
    recorder.record(jobs::MetricsReported{.metrics = std::move(values)});
  }
  for (std::string& notice : metric_log.notices()) {
    recorder.record(jobs::Noticed{std::move(notice)});
  }
}

// Runs the job in instances that exist, then undoes them: results are stored by now, and when the
// end is recorded nothing of the job is left but logs and journal.
jobs::Ended supervise_in(std::unique_ptr<sandbox::Sandbox> instances, const Plan& plan,
                         const JobFolder& folder, const Clock& clock, os::FileSystem& files,
                         Recorder& recorder, EventLoop& loop, const AddStores& add_stores) {
  MetricLog metric_log(plan.job.spec, folder.metrics());
  auto logs = logs::make_log_writer(folder.logs(), clock, metric_log.looks() ? &metric_log : nullptr);
  if (!logs) {
    return {.status = jobs::JobStatus::kFailed,
            .secondary = jobs::SecondaryStatus::kFailed,
            .failure_reason = "InternalServerError: no log: " + logs.error().message};
  }
  auto writer = metrics::make_sample_writer(folder.samples());
  SampleLog samples(writer ? std::move(*writer) : nullptr);
  storage::StoreSet stores;
  stores.add("file", storage::make_file_store(files));
  StoreTrouble trouble;
  add_stores(stores, {.job_folder = folder.root,
                      .trouble = [&](const std::string& why) { trouble.set(why); },
                      .stop = trouble.give_up.get_token()});
  jobs::Ended ended;
  {
    JobSteps steps({.plan = plan,
                             .folder = folder,
                             .clock = clock,
                             .files = files,
                             .stores = stores,
                             .instances = *instances,
                             .recorder = recorder,
                             .loop = loop,
                             .samples = samples,
                             .logs = **logs,
                             .trouble = trouble});
    ended = steps.run();
  }
  instances.reset();
  if (auto drained = (*logs)->drain(kLogDrain); !drained) {
    recorder.record(jobs::Noticed{"the log is not complete: " + drained.error().message});
  }
  if (const std::uint64_t lost = (*logs)->lost_lines(); lost > 0) {
    recorder.record(jobs::Noticed{std::to_string(lost) + " log line(s) could not be written"});
  }
  record_metrics(metric_log, recorder);
  return ended;
}

// The loop begins once instances exist; before that there is nobody to wait for.
jobs::Ended run_job(const Plan& plan, const JobFolder& folder, const Clock& clock,
                    os::FileSystem& files, EngineLink& link, Recorder& recorder,
                    JournalWriter& journal, StopSignal& signal, const AddStores& add_stores) {
  auto instances = sandbox::Sandbox::create(sandbox_options(plan, folder, count_machine_cpus()));
  if (!instances) {
    return {.status = jobs::JobStatus::kFailed,
            .secondary = jobs::SecondaryStatus::kFailed,
            .failure_reason = "InternalServerError: the instances could not be made: " +
                              instances.error().message};
  }
  EventLoop loop(link, recorder, journal, instances->get(), clock);
  loop.obey(signal);
  return supervise_in(std::move(*instances), plan, folder, clock, files, recorder, loop,
                      add_stores);
}

}  // namespace

int run_supervisor(const std::filesystem::path& root, const Clock& clock, Random& random,
                   const AddStores& add_stores) {
  ::umask(022);
  StopSignal signal;   // heard from the loop's first turn on
  os::UniqueFd connection = inherited_connection();
  const JobFolder folder{root};
  const auto files = os::make_real_file_system();
  auto lock = os::FileLock::try_acquire(folder.lock());
  if (!lock) return not_started("lock the job's folder", lock.error());
  if (!*lock) return kExitOtherSupervisor;
  auto plan = read_plan(*files, folder.plan());
  if (!plan) return not_started("read the plan", plan.error());
  for (auto& [name, value] : own_variables(random)) plan->host_environment[name] = value;
  auto journal = JournalWriter::open(*files, folder.journal());
  if (!journal) return not_started("open the journal", journal.error());
  if (!(*journal)->earlier().empty()) return clear_up(*files, folder);
  if (auto written = write_identity(*files, folder.identity(), ::getpid()); !written) {
    return not_started("write the identity", written.error());
  }
  Recorder recorder(plan->job, **journal, clock);
  auto link = EngineLink::open(folder.socket(), std::move(connection), plan->engine_kind,
                               recorder.records(), clock);
  if (!link) return not_started("listen for engines", link.error());
  recorder.listen([&](const std::string& record) { (*link)->publish(record); });

  const jobs::Ended ended =
      run_job(*plan, folder, clock, *files, **link, recorder, **journal, signal, add_stores);
  if (auto removed = files->remove_tree(folder.instances()); !removed) {
    log_line(LogLevel::kWarning, "supervisor", "instance folders stay",
             {{"error", removed.error().message}});
  }
  // What opens the object store is needed no more.
  [[maybe_unused]] const auto forgotten = files->remove_file(folder.storage_access());
  // Before the end is known: after it the folder belongs to whoever deletes it, or to a new job.
  [[maybe_unused]] const auto gone = files->remove_file(folder.socket());
  lock->reset();
  recorder.record(ended);
  EventLoop(**link, recorder, **journal, nullptr, clock).say_farewell();
  return kExitDone;
}

}  // namespace evener::backends
