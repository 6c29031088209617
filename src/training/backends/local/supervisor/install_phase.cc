#include "training/backends/local/supervisor/install_phase.h"

#include "base/log.h"

namespace evener::backends {

void InstallPhase::stop(StopMode) {
  if (auto killed = instances_.kill(host_); !killed) {
    log_line(LogLevel::kWarning, "local", "kill failed", {{"error", killed.error().message}});
  }
}

void InstallPhase::host_event(const sandbox::HostEvent& event) {
  const bool lost = event.kind == sandbox::HostEvent::Kind::kInstanceLost;
  if (!ended_ && (event.host == host_ || lost)) ended_ = event;
}

}  // namespace evener::backends
