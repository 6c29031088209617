#include "evener/interrupts.h"

#include <poll.h>
#include <pthread.h>
#include <sys/signalfd.h>

#include <cerrno>
#include <csignal>

namespace evener::app {

Result<Interrupts> Interrupts::make() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  os::UniqueFd signals(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals) return errno_failure(errno, "watch for Ctrl-C");
  return Interrupts(std::move(signals));
}

int Interrupts::wait(std::chrono::milliseconds timeout) {
  pollfd waiting{.fd = signals_.get(), .events = POLLIN, .revents = 0};
  if (::poll(&waiting, 1, static_cast<int>(timeout.count())) <= 0) return 0;
  int count = 0;
  signalfd_siginfo received{};
  while (::read(signals_.get(), &received, sizeof received) == sizeof received) ++count;
  return count;
}

}  // namespace evener::app
