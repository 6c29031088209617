// The outside world for one job: slirp4netns on the job's bridge. Nothing of the host's firewall,
// forwarding or interfaces changes.
//
// Used by:  sandbox.
// Threads:  one.
// Fails:    kUnsupported with what is missing on this machine.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "base/result.h"
#include "os/process.h"
#include "os/unique_fd.h"
#include "training/sandbox/network.h"

namespace evener::sandbox {

class Uplink {
 public:
  // The program's path, if it and the tunnel device can be used; starts nothing.
  static Result<std::string> find_program();
  // Starts the program and does not wait for it.
  static Result<std::unique_ptr<Uplink>> start(const std::string& program,
                                               const JobNetwork& network, const Subnet& subnet);
  ~Uplink();   // ends the program
  Uplink(const Uplink&) = delete;
  Uplink& operator=(const Uplink&) = delete;

  // Waits until the program is ready and puts its link on the bridge.
  Status connect(JobNetwork& network, std::chrono::milliseconds timeout);
  // Readable once connect() need not wait, or would fail.
  int ready_fd() const { return ready_.get(); }
  // Readable once the program has ended.
  int pidfd() const { return process_->pidfd(); }
  // How the program ended, in words.
  std::string end();

 private:
  Uplink() = default;
  std::unique_ptr<os::Process> process_;
  os::UniqueFd ready_;
  os::UniqueFd end_;   // the program ends when this closes
};

}  // namespace evener::sandbox
