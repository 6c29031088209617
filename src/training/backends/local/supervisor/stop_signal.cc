#include "training/backends/local/supervisor/stop_signal.h"

#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>

namespace evener::backends {

StopSignal::StopSignal() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  fd_.reset(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
}

std::optional<pid_t> StopSignal::take() {
  signalfd_siginfo heard{};
  if (!fd_ || ::read(fd_.get(), &heard, sizeof heard) != sizeof heard) return std::nullopt;
  return static_cast<pid_t>(heard.ssi_pid);
}

}  // namespace evener::backends
