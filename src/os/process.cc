#include "os/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstddef>
#include <new>

#include "base/clock.h"
#include "os/poll.h"
#include "os/process_child.h"

namespace evener::os {
namespace {

constexpr std::size_t kChildStackBytes = 64u << 10;

// Sanitizers keep records of threads and of stacks in memory, which a child must not change for us:
// what it leaves there by not returning would be read as an error of the next one.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr int kCloneFlags = CLONE_VFORK | CLONE_PIDFD | SIGCHLD;
#else
constexpr int kCloneFlags = CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD;
#endif

class ChildProcess final : public Process {
 public:
  ChildProcess(pid_t pid, UniqueFd pidfd) : pid_(pid), pidfd_(std::move(pidfd)) {}

  pid_t pid() const override { return pid_; }
  int pidfd() const override { return pidfd_.get(); }

  Status kill(int signal) override {
    if (::syscall(SYS_pidfd_send_signal, pidfd_.get(), signal, nullptr, 0) == 0 || errno == ESRCH)
      return ok();
    return errno_failure(errno, "signal process " + std::to_string(pid_));
  }

  Result<std::optional<ExitStatus>> wait(std::chrono::milliseconds timeout) override {
    if (ended_) return ended_;
    auto ready = wait_ready(pidfd_.get(), POLLIN, timeout);
    if (!ready) return tl::unexpected(std::move(ready.error()));
    if (!*ready) return std::optional<ExitStatus>();
    siginfo_t info{};
    // P_PIDFD; the constant is missing in some C library headers.
    constexpr auto kByPidfd = static_cast<idtype_t>(3);
    while (::waitid(kByPidfd, static_cast<id_t>(pidfd_.get()), &info, WEXITED) != 0) {
      if (errno != EINTR) return errno_failure(errno, "wait for process " + std::to_string(pid_));
    }
    ended_ = info.si_code == CLD_EXITED ? ExitStatus{info.si_status, 0}
                                        : ExitStatus{128 + info.si_status, info.si_status};
    return ended_;
  }

 private:
  pid_t pid_;
  UniqueFd pidfd_;
  std::optional<ExitStatus> ended_;
};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  // execve() takes char* const[] and writes nothing.
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

Result<std::vector<DescriptorMove>> plan_moves(const SpawnOptions& options) {
  std::vector<DescriptorMove> moves;
  for (const auto& [ours, theirs] : options.descriptors) moves.push_back({ours, theirs});
  std::ranges::sort(moves, {}, &DescriptorMove::to);
  const auto twice = std::ranges::adjacent_find(moves, {}, &DescriptorMove::to);
  const bool negative = std::ranges::any_of(
      moves, [](const DescriptorMove& move) { return move.from < 0 || move.to < 0; });
  if (twice != moves.end() || negative)
    return failure(ErrorCode::kInvalidArgument, "spawn: a descriptor is negative or given twice");
  return moves;
}

int first_free_above(const std::vector<DescriptorMove>& moves) {
  int highest = STDERR_FILENO;
  for (const DescriptorMove& move : moves) highest = std::max({highest, move.from, move.to});
  return highest + 1;
}

Error child_error(const ChildPlan& plan, const SpawnOptions& options) {
  const std::string whole = "spawn " + options.argv[0];
  switch (plan.failed_step) {
    case ChildStep::kSignals: return errno_error(plan.failed_errno, whole + ": signal mask");
    case ChildStep::kSession: return errno_error(plan.failed_errno, whole + ": new session");
    case ChildStep::kParentDeath: return errno_error(plan.failed_errno, whole + ": parent death");
    case ChildStep::kDescriptors: return errno_error(plan.failed_errno, whole + ": descriptors");
    case ChildStep::kDirectory:
      return errno_error(plan.failed_errno, whole + " in " + options.directory);
    case ChildStep::kExec:
    case ChildStep::kNone: break;
  }
  return errno_error(plan.failed_errno, whole);
}

// The child's stack with the plan at its bottom, in memory that the child shares in any case.
struct ChildMemory {
  ChildMemory()
      : bottom(::mmap(nullptr, kChildStackBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                      -1, 0)) {}
  ChildMemory(const ChildMemory&) = delete;
  ChildMemory& operator=(const ChildMemory&) = delete;
  ~ChildMemory() {
    if (bottom != MAP_FAILED) ::munmap(bottom, kChildStackBytes);
  }
  void* top() const { return static_cast<std::byte*>(bottom) + kChildStackBytes; }

  void* bottom;
};

// Clones with shared memory and waits until the child has executed the program or has failed, so
// the cost does not grow with our memory and the child's errno needs no pipe.
Result<std::unique_ptr<Process>> clone_child(ChildPlan& plan) {
  const ChildMemory memory;
  if (memory.bottom == MAP_FAILED) return errno_failure(errno, "memory for a child's stack");
  ChildPlan* const shared_plan = new (memory.bottom) ChildPlan(plan);
  // A signal handler of ours must not run in the child on our memory.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  int pidfd = -1;
  const pid_t pid = ::clone(run_child, memory.top(), kCloneFlags, shared_plan, &pidfd);
  const int error = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  plan = *shared_plan;
  if (pid < 0) return errno_failure(error, "clone");
  return std::make_unique<ChildProcess>(pid, UniqueFd(pidfd));
}

}  // namespace

Result<std::unique_ptr<Process>> spawn(const SpawnOptions& options) {
  if (options.argv.empty()) return failure(ErrorCode::kInvalidArgument, "spawn: no program");
  auto moves = plan_moves(options);
  if (!moves) return tl::unexpected(std::move(moves.error()));
  const std::vector<char*> argv = pointers(options.argv);
  const std::vector<char*> environment = pointers(options.environment);

  ChildPlan plan;
  plan.program = argv[0];
  plan.argv = argv.data();
  plan.environment = environment.data();
  plan.directory = options.directory.c_str();
  plan.moves = moves->data();
  plan.move_count = static_cast<int>(moves->size());
  plan.first_free = first_free_above(*moves);
  plan.new_session = options.new_session;
  plan.die_with_parent = options.die_with_parent;
  plan.parent = ::getpid();

  auto child = clone_child(plan);
  if (!child || plan.failed_step == ChildStep::kNone) return child;
  constexpr std::chrono::milliseconds kReapTimeout{10'000};  // it is ending; never reached
  (void)(*child)->wait(kReapTimeout);
  return tl::unexpected(child_error(plan, options));
}

Result<UniqueFd> open_pidfd(pid_t pid) {
  UniqueFd fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!fd) return errno_failure(errno, "open process " + std::to_string(pid));
  return fd;
}

bool pidfd_ended(int pidfd) {
  const auto ready = wait_ready(pidfd, POLLIN, std::chrono::milliseconds(0));
  return !ready || *ready;
}

Result<std::string> boot_id() {
  const std::string path = "/proc/sys/kernel/random/boot_id";
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return errno_failure(errno, "open " + path);
  std::array<char, 64> buffer{};
  const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
  if (got < 0) return errno_failure(errno, "read " + path);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(got));
  return std::string(text.substr(0, text.find('\n')));
}

Result<std::uint64_t> process_start_time(pid_t pid) {
  const std::string path = "/proc/" + std::to_string(pid) + "/stat";
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return errno_failure(errno, "open " + path);
  std::array<char, 4096> buffer{};
  const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
  if (got < 0) return errno_failure(errno, "read " + path);
  std::string_view text(buffer.data(), static_cast<std::size_t>(got));
  // The name stands in parentheses and may hold any of them; start time is field 22, name 2.
  const auto name_end = text.rfind(')');
  constexpr int kFieldsBetween = 20;
  std::size_t at = name_end == std::string_view::npos ? text.size() : name_end;
  for (int i = 0; i < kFieldsBetween && at < text.size(); ++i) at = text.find(' ', at + 1);
  if (at >= text.size()) return failure(ErrorCode::kCorrupt, path + " has too few fields");
  return std::strtoull(buffer.data() + at + 1, nullptr, 10);
}

Result<std::string> self_executable() {
  std::string path(PATH_MAX, '\0');
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  if (length < 0) return errno_failure(errno, "readlink /proc/self/exe");
  path.resize(static_cast<std::size_t>(length));
  // The file was replaced while we run; the link itself still leads to our own program.
  if (path.ends_with(" (deleted)")) return std::string("/proc/self/exe");
  return path;
}

}  // namespace evener::os
