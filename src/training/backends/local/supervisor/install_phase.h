// A phase that waits for one command on one host: the installation of requirements.txt.
//
// Used by:  JobSteps.
// Threads:  one, the supervisor's.
// Fails:    never; ended() says how the command ended.
#pragma once

#include <string>

#include "training/backends/local/supervisor/phase.h"

namespace evener::backends {

class InstallPhase final : public Phase {
 public:
  // The command was started on `host`.
  InstallPhase(sandbox::Sandbox& instances, std::string host)
      : instances_(instances), host_(std::move(host)) {}

  bool done() const override { return ended_.has_value(); }
  bool stoppable() const override { return true; }
  // Nothing of the user runs yet: there is nobody to give a grace to.
  void stop(StopMode) override;
  void host_event(const sandbox::HostEvent& event) override;
  void tick() override {}
  std::optional<MonotonicTime> next_tick() const override { return std::nullopt; }

  // How the command ended, or an instance that was lost meanwhile.
  const sandbox::HostEvent& ended() const { return *ended_; }

 private:
  sandbox::Sandbox& instances_;
  std::string host_;
  std::optional<sandbox::HostEvent> ended_;
};

}  // namespace evener::backends
