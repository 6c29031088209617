#include "training/backends/local/supervisor_link.h"

#include <variant>

#include "base/log.h"
#include "os/socket.h"
#include "training/backends/local/job_folder/job_folder.h"

namespace evener::backends {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTryInterval{100};
// A supervisor writes its identity within milliseconds of its start.
constexpr int kTriesWithoutIdentity = 10;
// It holds its lock from before that until its end; processes of it that end after it hold it, too.
constexpr int kTriesWhileLocked = 100;

}  // namespace

SupervisorLink::SupervisorLink(const BackendParts& parts, jobs::TrainingJob job,
                             LaunchedSupervisor supervisor)
    : parts_(parts),
      job_(std::move(job)),
      folder_(job_folder(parts.options.home, job_.spec.name)),
      connection_(std::move(supervisor.connection)),
      child_(std::move(supervisor.process)) {}

SupervisorLink::SupervisorLink(const BackendParts& parts, jobs::TrainingJob job)
    : parts_(parts),
      job_(std::move(job)),
      folder_(job_folder(parts.options.home, job_.spec.name)),
      next_position_(job_.imported_position + 1),
      try_at_(parts.clock.monotonic_now()),
      may_start_(job_.imported_position == 0) {}

void SupervisorLink::add_descriptors(std::vector<pollfd>& polled) const {
  if (connection_) polled.push_back({.fd = connection_->fd(), .events = POLLIN, .revents = 0});
  if (child_) polled.push_back({.fd = child_->pidfd(), .events = POLLIN, .revents = 0});
  if (found_) polled.push_back({.fd = found_.get(), .events = POLLIN, .revents = 0});
}

std::optional<MonotonicTime> SupervisorLink::next_try() const {
  return connection_ || ended_ ? std::nullopt : try_at_;
}

void SupervisorLink::turn() {
  read_events();
  if (process_gone()) {
    // What it said last may have come between the two looks.
    read_events();
    connection_.reset();
    try_at_ = parts_.clock.monotonic_now();
  }
  if (ended_) {
    connection_.reset();   // the supervisor waits for this before it leaves
    found_.reset();
    return;
  }
  if (!connection_ && try_at_ && parts_.clock.monotonic_now() >= *try_at_) look_for_supervisor();
}

void SupervisorLink::stop(StopMode mode) {
  if (ended_) return;
  if (connection_ && connection_->send_line(command_line(StopCommand{mode}))) return;
  if (unsent_stop_ != StopMode::kAtOnce) unsent_stop_ = mode;
}

void SupervisorLink::read_events() {
  while (connection_ && !ended_) {
    auto line = connection_->receive_line(milliseconds(0));
    if (!line) {
      connection_.reset();
      try_at_ = parts_.clock.monotonic_now();
      return;
    }
    if (!*line) return;
    take_line(**line);
  }
}

void SupervisorLink::take_line(const std::string& line) {
  auto event = jobs::event_from_json(line);
  if (event && event->journal_position < next_position_) return;
  if (!event || event->journal_position > next_position_) {
    // Not to be trusted any more; the journal is asked again from where we were.
    log_line(LogLevel::kError, "local", "unexpected words of a supervisor",
             {{"job", name()}, {"line", std::string_view(line).substr(0, 200)}});
    connection_.reset();
    retry_later();
    return;
  }
  post(std::move(*event));
}

void SupervisorLink::post(jobs::JobEvent event) {
  if (event.journal_position > 0) next_position_ = event.journal_position + 1;
  if (std::holds_alternative<jobs::Ended>(event.change)) ended_ = true;
  parts_.sink(std::move(event));
}

bool SupervisorLink::process_gone() {
  if (child_) {
    auto status = child_->wait(milliseconds(0));
    if (status && !*status) return false;
    child_.reset();
    return true;
  }
  if (found_ && os::pidfd_ended(found_.get())) {
    found_.reset();
    return true;
  }
  return false;
}

void SupervisorLink::look_for_supervisor() {
  if (may_start_ && !was_handed_over()) return start_anew();
  if (attach()) return;
  if (child_ || found_) return retry_later();
  auto identity = read_identity(parts_.files, folder_.identity());
  if (identity && *identity) {
    if (auto process = open_supervisor(**identity)) {
      found_ = std::move(*process);
      return retry_later();
    }
    return import_journal();
  }
  // Ours until this is done: no supervisor begins meanwhile.
  auto lock = os::FileLock::try_acquire(folder_.lock());
  if (lock && !*lock && ++locked_tries_ < kTriesWhileLocked) return retry_later();
  if (!may_start_ || has_begun()) return import_journal();
  if (++tries_ < kTriesWithoutIdentity) return retry_later();
  if (lock) lock->reset();
  start_anew();
}

bool SupervisorLink::attach() {
  auto socket = os::connect_unix(folder_.socket());
  if (!socket) return false;
  os::LineConnection connection(std::move(*socket));
  const AttachCommand attach{.from = next_position_, .engine = parts_.options.engine_kind};
  if (!connection.send_line(command_line(attach))) return false;
  if (unsent_stop_ && !connection.send_line(command_line(StopCommand{*unsent_stop_}))) return false;
  unsent_stop_.reset();
  connection_.emplace(std::move(connection));
  if (child_ || found_) return true;
  auto identity = read_identity(parts_.files, folder_.identity());
  if (!identity || !*identity) return true;
  if (auto process = open_supervisor(**identity)) found_ = std::move(*process);
  return true;
}

void SupervisorLink::retry_later() { try_at_ = parts_.clock.monotonic_now() + kTryInterval; }

// An engine can die after it has committed the launch and before it has written the plan. A plan
// that is there may be that of an earlier job of the same name, deleted since.
bool SupervisorLink::was_handed_over() const {
  const auto plan = read_plan(parts_.files, folder_.plan());
  return plan && plan->job.created == job_.created && plan->job.arn == job_.arn;
}

bool SupervisorLink::has_begun() const {
  return parts_.files.stat(folder_.journal()) || parts_.files.stat(folder_.identity());
}

void SupervisorLink::start_anew() {
  may_start_ = false;
  auto supervisor = launch_supervisor(parts_.options, parts_.files, job_);
  if (!supervisor) return post_lost_end("no supervisor could be started: " +
                                        supervisor.error().message);
  connection_.emplace(std::move(supervisor->connection));
  child_ = std::move(supervisor->process);
  if (unsent_stop_) stop(*std::exchange(unsent_stop_, std::nullopt));
}

void SupervisorLink::import_journal() {
  auto journal = read_journal(parts_.files, folder_.journal());
  if (journal) {
    for (jobs::JobEvent& event : journal->events) {
      if (event.journal_position >= next_position_) post(std::move(event));
    }
  }
  if (ended_) return;
  std::string text = "the supervisor of the job ended without a word";
  if (!journal) text += " (" + journal.error().message + ")";
  post_lost_end(text + "; see " + folder_.supervisor_log().string());
}

void SupervisorLink::post_lost_end(const std::string& text) {
  std::string reason = "InternalServerError: " + text;
  if (auto removed = sandbox::remove_leftovers(name(), folder_.instances()); !removed) {
    reason += "; what it left could not be removed: " + removed.error().message;
  }
  [[maybe_unused]] const auto no_socket = parts_.files.remove_file(folder_.socket());
  std::vector<HostResults> results;
  for (const jobs::Instance& instance : job_.instances) {
    const std::string& host = instance.placement.host;
    results.push_back({host, folder_.ml(host), "/opt/ml"});
  }
  const std::filesystem::path unsaved = folder_.unsaved();
  // There is something also where an earlier engine got as far as this and died.
  const auto kept = keep_results(parts_.files, results, unsaved);
  if (kept && parts_.files.stat(unsaved)) {
    reason += "; what it had written is in " + unsaved.string();
  }
  post({.job = name(),
        .time = parts_.clock.wall_now(),
        .journal_position = 0,
        .change = jobs::Ended{.status = jobs::JobStatus::kFailed,
                              .secondary = jobs::SecondaryStatus::kFailed,
                              .failure_reason = std::move(reason)}});
}

}  // namespace evener::backends
