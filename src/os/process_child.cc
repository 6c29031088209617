#include "os/process_child.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>

namespace evener::os {
namespace {

constexpr int kFailedExitCode = 127;
constexpr int kStandardDescriptors = 3;

// The kernel's own call: the C library refuses the numbers that it keeps for itself, and a parent
// may have left those ignored.
bool reset_signals() {
  constexpr unsigned long kPlain[4] = {};  // handler SIG_DFL, no flags, no restorer, empty mask
  constexpr std::size_t kMaskBytes = 8;
  for (int number = 1; number < NSIG; ++number) {
    if (number != SIGKILL && number != SIGSTOP)
      ::syscall(SYS_rt_sigaction, number, kPlain, nullptr, kMaskBytes);
  }
  sigset_t none;
  ::sigemptyset(&none);
  return ::sigprocmask(SIG_SETMASK, &none, nullptr) == 0;
}

bool arrange_parent_death(const ChildPlan& plan) {
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return false;
  // The parent may have ended before the call above.
  if (::getppid() == plan.parent) return true;
  errno = ESRCH;
  return false;
}

bool open_null(int target) {
  const int fd = ::open("/dev/null", O_RDWR);
  if (fd < 0) return false;
  if (fd == target) return true;
  const bool moved = ::dup2(fd, target) == target;
  ::close(fd);
  return moved;
}

void close_from_to(int first, int last) {
  if (first <= last) ::close_range(static_cast<unsigned>(first), static_cast<unsigned>(last), 0);
}

// All sources first go above every target, so that no move destroys the source of a later one.
bool place_descriptors(ChildPlan& plan) {
  for (int i = 0; i < plan.move_count; ++i) {
    DescriptorMove& move = plan.moves[i];
    move.from = ::fcntl(move.from, F_DUPFD_CLOEXEC, plan.first_free);
    if (move.from < 0) return false;
  }
  int next = 0;  // the first descriptor not yet decided on
  for (int i = 0; i < plan.move_count; ++i) {
    const DescriptorMove& move = plan.moves[i];
    close_from_to(next, move.to - 1);
    if (::dup2(move.from, move.to) < 0) return false;
    next = move.to + 1;
  }
  close_from_to(next, INT_MAX);
  for (int standard = 0; standard < kStandardDescriptors; ++standard) {
    if (::fcntl(standard, F_GETFD) < 0 && !open_null(standard)) return false;
  }
  return true;
}

ChildStep prepare(ChildPlan& plan) {
  if (!reset_signals()) return ChildStep::kSignals;
  if (plan.new_session && ::setsid() < 0) return ChildStep::kSession;
  if (plan.die_with_parent && !arrange_parent_death(plan)) return ChildStep::kParentDeath;
  if (!place_descriptors(plan)) return ChildStep::kDescriptors;
  if (::chdir(plan.directory) != 0) return ChildStep::kDirectory;
  ::execve(plan.program, plan.argv, plan.environment);
  return ChildStep::kExec;
}

}  // namespace

// Not looked after by the address sanitizer, which takes the end of the stack that it knows for the
// end of this one.
[[gnu::no_sanitize_address]] int run_child(void* argument) {
  ChildPlan& plan = *static_cast<ChildPlan*>(argument);
  const ChildStep failed = prepare(plan);
  plan.failed_errno = errno;
  plan.failed_step = failed;
  ::_exit(kFailedExitCode);
}

}  // namespace evener::os
