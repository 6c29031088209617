#include "training/sandbox/instance.h"

#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "os/namespace.h"
#include "training/sandbox/instance_init.h"
#include "training/sandbox/process_tree.h"

namespace evener::sandbox {
namespace {

constexpr std::uint64_t kNamespaces =
    CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWNET;
constexpr std::chrono::milliseconds kMountTimeout(60'000);   // a slow disk under an overlay
constexpr std::chrono::milliseconds kUsageTimeout(200);
constexpr int kPlainEndMillis = 5'000;
constexpr int kOrphanRounds = 100;   // each ends all that the round before could have started

Message message_of(MessageKind kind) {
  Message message;
  message.kind = kind;
  return message;
}

}  // namespace

Result<std::unique_ptr<Instance>> Instance::start(const InstancePlan& plan) {
  auto pair = make_control_pair();
  if (!pair) return tl::unexpected<Error>(pair.error());
  Result<os::ClonedProcess> child =
      os::clone_process(plan.isolation == Isolation::kNamespaces ? kNamespaces : 0);
  if (!child) return failure_in("start " + plan.host, child.error());
  if (child->pid == 0) run_instance_init(plan, std::move(pair->second));
  return std::unique_ptr<Instance>(new Instance(
      plan, child->pid, std::move(child->pidfd), std::move(pair->first)));
}

Instance::~Instance() {
  if (lost_) return;
  begin_end();
  if (isolation_ == Isolation::kPlain) {
    pollfd waiting{pidfd_.get(), POLLIN, 0};
    if (::poll(&waiting, 1, kPlainEndMillis) <= 0) {
      ::syscall(SYS_pidfd_send_signal, pidfd_.get(), SIGKILL, nullptr, 0);
    }
  }
  note_end();
}

void Instance::begin_end() {
  if (lost_) return;
  if (isolation_ == Isolation::kPlain) {
    // The init kills what is below it when its channel ends.
    ::shutdown(channel_.fd(), SHUT_RDWR);
  } else {
    ::syscall(SYS_pidfd_send_signal, pidfd_.get(), SIGKILL, nullptr, 0);
  }
}

Status Instance::tell(const Message& message) {
  if (lost_) return failure(ErrorCode::kUnavailable, host_ + " is gone");
  return channel_.send(message);
}

Status Instance::mount(const std::vector<Mount>& mounts) {
  Message message = message_of(MessageKind::kMount);
  for (const Mount& mount : mounts) {
    message.texts.insert(message.texts.end(),
                         {std::to_string(static_cast<int>(mount.kind)), mount.target.string(),
                          mount.source.string(), mount.lower.string(), mount.upper.string(),
                          mount.work.string()});
  }
  RETURN_IF_ERROR(tell(message));
  return await_mounted();
}

Status Instance::make_read_only(const std::string& target) {
  Message message = message_of(MessageKind::kMakeReadOnly);
  message.texts = {target};
  RETURN_IF_ERROR(tell(message));
  return await_mounted();
}

Status Instance::await_mounted() {
  Result<Message> answer = await(MessageKind::kMounted, kMountTimeout);
  if (!answer) return failure_in("prepare " + host_, answer.error());
  if (answer->numbers.at(0) < 0) return ok();
  return failure(static_cast<ErrorCode>(answer->numbers.at(0)),
                 "prepare " + host_ + ": " + answer->texts.at(0));
}

Status Instance::run(const Command& command, os::UniqueFd output) {
  if (running_) return failure(ErrorCode::kInvalidArgument, host_ + " already runs a program");
  if (command.argv.empty()) return failure(ErrorCode::kInvalidArgument, "no program is named");
  Message message = message_of(MessageKind::kRun);
  message.numbers = {static_cast<std::int64_t>(command.argv.size())};
  message.texts = command.argv;
  message.texts.insert(message.texts.end(), command.environment.begin(),
                       command.environment.end());
  message.texts.push_back(command.directory);
  message.descriptor = std::move(output);
  RETURN_IF_ERROR(tell(message));
  running_ = true;
  return ok();
}

Result<std::pair<std::uint64_t, std::uint64_t>> Instance::usage() {
  // An answer that came too late for the last question is not one to this.
  std::erase_if(answers_, [](const Message& one) { return one.kind == MessageKind::kUsageAnswer; });
  RETURN_IF_ERROR(tell(message_of(MessageKind::kUsage)));
  Result<Message> answer = await(MessageKind::kUsageAnswer, kUsageTimeout);
  if (!answer) return tl::unexpected<Error>(answer.error());
  return std::pair(static_cast<std::uint64_t>(answer->numbers.at(0)),
                   static_cast<std::uint64_t>(answer->numbers.at(1)));
}

Status Instance::begin_overlay_probe(const std::filesystem::path& folder) {
  Message message = message_of(MessageKind::kProbeOverlay);
  message.texts = {folder.string()};
  return tell(message);
}

Result<bool> Instance::overlay_possible() {
  Result<Message> answer = await(MessageKind::kOverlayProbed, kMountTimeout);
  if (!answer) return tl::unexpected<Error>(answer.error());
  return answer->numbers.at(0) == 1;
}

Result<Message> Instance::await(MessageKind kind, std::chrono::milliseconds timeout) {
  while (true) {
    const auto found = std::find_if(answers_.begin(), answers_.end(),
                                    [kind](const Message& one) { return one.kind == kind; });
    if (found != answers_.end()) {
      Message answer = std::move(*found);
      answers_.erase(found);
      return answer;
    }
    Result<bool> read = read_one(timeout);
    if (!read) return tl::unexpected<Error>(read.error());
    if (!*read) return failure(ErrorCode::kTimedOut, host_ + " does not answer");
  }
}

Result<bool> Instance::read_one(std::chrono::milliseconds timeout) {
  Result<std::optional<Message>> message = channel_.receive(timeout);
  if (!message) {
    channel_ended_ = true;
    return tl::unexpected<Error>(message.error());
  }
  if (!*message) return false;
  const MessageKind kind = (*message)->kind;
  const bool report = kind == MessageKind::kExited || kind == MessageKind::kStartFailed;
  (report ? reports_ : answers_).push_back(std::move(**message));
  return true;
}

std::optional<Message> Instance::next_report() {
  while (reports_.empty()) {
    const Result<bool> read = read_one(std::chrono::milliseconds(0));
    if (!read || !*read) return std::nullopt;
  }
  Message report = std::move(reports_.front());
  reports_.pop_front();
  running_ = false;
  return report;
}

void Instance::note_end() {
  (void)os::reap(pidfd_.get());
  lost_ = true;
  running_ = false;
  if (isolation_ == Isolation::kPlain) kill_orphans();
}

// Without a PID namespace, what an init leaves behind falls to this process.
void Instance::kill_orphans() {
  const std::string whole = marker_ + '\0';
  for (int round = 0; round < kOrphanRounds; ++round) {
    const std::vector<pid_t> orphans = processes_with_environment(whole);
    if (orphans.empty()) return;
    for (const pid_t pid : orphans) ::kill(pid, SIGKILL);
    for (const pid_t pid : orphans) ::waitpid(pid, nullptr, 0);
  }
}

}  // namespace evener::sandbox
