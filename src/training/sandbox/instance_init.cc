#include "training/sandbox/instance_init.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "os/namespace.h"
#include "os/namespace_mounts.h"
#include "os/netlink.h"
#include "training/sandbox/control_message.h"
#include "training/sandbox/instance_root.h"
#include "training/sandbox/process_tree.h"
#include "training/sandbox/program.h"

namespace evener::sandbox {
namespace {

constexpr int kLoopback = 1;   // index of `lo` in every network namespace

// Only the control channel stays, as descriptor 3, with nothing on 0-2 but /dev/null.
os::UniqueFd keep_only(os::UniqueFd control) {
  // Out of the way first: in a process that began without 0-2 it may be one of them.
  const int aside = ::fcntl(control.get(), F_DUPFD_CLOEXEC, 4);
  if (aside < 0) ::_exit(1);
  control.reset(aside);
  const int null = ::open("/dev/null", O_RDWR);
  for (int fd = 0; fd < 3; ++fd) ::dup2(null, fd);
  if (::dup3(control.release(), 3, O_CLOEXEC) < 0) ::_exit(1);
  ::close_range(4, ~0U, 0);
  return os::UniqueFd(3);
}

class InstanceInit {
 public:
  InstanceInit(const InstancePlan& plan, os::UniqueFd control)
      : plan_(plan), channel_(std::move(control)), root_(plan) {}

  void prepare();
  void serve();

 private:
  bool plain() const { return plan_.isolation == Isolation::kPlain; }
  Status set_identity();
  Status configure_network();
  void take(Message message);
  void mount(const Message& message);
  void make_read_only(const Message& message);
  void run(Message message);
  void reap_children();
  void end_program(int status);
  void kill_all();
  void answer_usage();
  void reply_mounted(const Status& status);
  void reply(MessageKind kind, std::vector<std::int64_t> numbers,
             std::vector<std::string> texts = {});

  const InstancePlan& plan_;
  ControlChannel channel_;
  InstanceRoot root_;
  os::UniqueFd signals_;
  Status prepared_ = ok();
  pid_t program_ = 0;
};

void InstanceInit::prepare() {
  sigset_t all;
  sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  struct sigaction action{};
  action.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) ::sigaction(number, &action, nullptr);
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  signals_.reset(::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK));
  ::setsid();
  ::prctl(PR_SET_NAME, "evener-init");
  prepared_ = set_identity();
  if (prepared_ && !plain()) prepared_ = root_.build();
}

Status InstanceInit::set_identity() {
  if (!plan_.cpus.empty()) {
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    for (const int cpu : plan_.cpus) CPU_SET(static_cast<std::size_t>(cpu), &cpus);
    if (::sched_setaffinity(0, sizeof cpus, &cpus) != 0) {
      return errno_failure(errno, "set the CPU affinity");
    }
  }
  ::umask(022);
  if (plain()) {
    if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) return errno_failure(errno, "become subreaper");
    return ok();
  }
  if (::sethostname(plan_.host.c_str(), plan_.host.size()) != 0) {
    return errno_failure(errno, "set the host name");
  }
  return ok();
}

Status InstanceInit::configure_network() {
  Result<os::Netlink> links = os::Netlink::open();
  if (!links) return tl::unexpected<Error>(links.error());
  RETURN_IF_ERROR(links->set_up(kLoopback));
  Result<int> index = links->link_index(std::string(kInterfaceName));
  if (!index) return tl::unexpected<Error>(index.error());
  RETURN_IF_ERROR(links->add_address(*index, plan_.address, plan_.prefix_bits));
  RETURN_IF_ERROR(links->set_up(*index));
  if (plan_.gateway) RETURN_IF_ERROR(links->add_default_route(*plan_.gateway));
  return ok();
}

void InstanceInit::serve() {
  while (true) {
    std::array<pollfd, 2> waiting = {pollfd{channel_.fd(), POLLIN, 0},
                                     pollfd{signals_.get(), POLLIN, 0}};
    if (::poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) return;
    if (waiting[1].revents != 0) {
      signalfd_siginfo ignored{};
      while (::read(signals_.get(), &ignored, sizeof ignored) > 0) {
      }
      reap_children();
    }
    if (waiting[0].revents == 0) continue;
    while (true) {
      Result<std::optional<Message>> message = channel_.receive(std::chrono::milliseconds(0));
      if (!message) return;   // the supervisor is gone
      if (!*message) break;
      take(std::move(**message));
    }
  }
}

void InstanceInit::take(Message message) {
  switch (message.kind) {
    case MessageKind::kNetworkReady:
      if (prepared_) prepared_ = configure_network();
      return;
    case MessageKind::kMount: return mount(message);
    case MessageKind::kMakeReadOnly: return make_read_only(message);
    case MessageKind::kRun: return run(std::move(message));
    case MessageKind::kSignal:
      if (program_ > 0) ::kill(program_, static_cast<int>(message.numbers.at(0)));
      return;
    case MessageKind::kKill: return kill_all();
    case MessageKind::kUsage: return answer_usage();
    case MessageKind::kProbeOverlay:
      return reply(MessageKind::kOverlayProbed,
                   {prepared_ && root_.try_overlay(message.texts.at(0)) ? 1 : 0});
    case MessageKind::kMounted:
    case MessageKind::kExited:
    case MessageKind::kStartFailed:
    case MessageKind::kUsageAnswer:
    case MessageKind::kOverlayProbed: return;
  }
}

void InstanceInit::mount(const Message& message) {
  constexpr std::size_t kTextsPerMount = 6;
  Status status = prepared_;
  const std::vector<std::string>& texts = message.texts;
  for (std::size_t i = 0; status && i + kTextsPerMount <= texts.size(); i += kTextsPerMount) {
    Mount one;
    one.kind = static_cast<Mount::Kind>(std::stoi(texts[i]));
    one.target = texts[i + 1];
    one.source = texts[i + 2];
    one.lower = texts[i + 3];
    one.upper = texts[i + 4];
    one.work = texts[i + 5];
    status = root_.add(one);
  }
  if (status && !plain()) status = root_.finish();
  if (!status) prepared_ = status;
  reply_mounted(status);
}

void InstanceInit::make_read_only(const Message& message) {
  const std::string& target = message.texts.at(0);
  const os::UniqueFd place(::open(target.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (!place) return reply_mounted(errno_failure(errno, "open " + target));
  Status made = os::make_read_only(place.get());
  reply_mounted(made ? made : Status(failure_in(target, made.error())));
}

void InstanceInit::reply_mounted(const Status& status) {
  if (status) return reply(MessageKind::kMounted, {-1});
  reply(MessageKind::kMounted, {static_cast<std::int64_t>(status.error().code)},
        {status.error().message});
}

void InstanceInit::run(Message message) {
  Command command;
  const auto arguments = message.numbers.at(0);
  command.directory = std::move(message.texts.back());
  message.texts.pop_back();
  command.argv.assign(message.texts.begin(), message.texts.begin() + arguments);
  command.environment.assign(message.texts.begin() + arguments, message.texts.end());
  if (plain()) command.environment.push_back(plan_.marker);
  Result<pid_t> started = start_program(plan_, command, message.descriptor.get());
  message.descriptor.reset();
  if (started) {
    program_ = *started;
  } else {
    reply(MessageKind::kStartFailed, {}, {started.error().message});
  }
}

void InstanceInit::reap_children() {
  int status = 0;
  for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
    if (pid == program_) end_program(status);
  }
}

void InstanceInit::end_program(int status) {
  program_ = 0;
  // What it left behind ends with it, so that the next run starts in an empty instance.
  while (true) {
    kill_all();
    const pid_t pid = ::waitpid(-1, nullptr, 0);
    if (pid < 0 && errno == ECHILD) break;
    // All that are dead by now: a look at every process for each of thousands would take minutes.
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
  }
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + signal;
  reply(MessageKind::kExited, {code, signal});
}

void InstanceInit::kill_all() {
  if (!plain()) {
    ::kill(-1, SIGKILL);   // all in the namespace but us
    return;
  }
  for (const pid_t pid : descendants(::getpid())) ::kill(pid, SIGKILL);
}

void InstanceInit::answer_usage() {
  const TreeUsage usage = usage_of_descendants();
  reply(MessageKind::kUsageAnswer, {static_cast<std::int64_t>(usage.cpu_nanos),
                                    static_cast<std::int64_t>(usage.memory_bytes)});
}

void InstanceInit::reply(MessageKind kind, std::vector<std::int64_t> numbers,
                         std::vector<std::string> texts) {
  Message message;
  message.kind = kind;
  message.numbers = std::move(numbers);
  message.texts = std::move(texts);
  (void)channel_.send(message);   // a supervisor that is gone is seen by serve()
}

}  // namespace

void run_instance_init(const InstancePlan& plan, os::UniqueFd control) {
  os::UniqueFd kept = keep_only(std::move(control));
  // The supervisor may have died already; then the channel has ended, which serve() sees.
  if (plan.isolation == Isolation::kNamespaces) (void)os::die_with_parent();
  {
    InstanceInit init(plan, std::move(kept));
    init.prepare();
    init.serve();
    if (plan.isolation == Isolation::kPlain) {
      for (std::vector<pid_t> left = descendants(::getpid()); !left.empty();
           left = descendants(::getpid())) {
        for (const pid_t pid : left) ::kill(pid, SIGKILL);
        while (::waitpid(-1, nullptr, WNOHANG) > 0) {
        }
      }
    }
  }
  ::_exit(0);
}

}  // namespace evener::sandbox
