// The pipes from instances to the log: one per host, open from the first command to the last.
//
// Used by:  JobSteps.
// Threads:  one.
// Fails:    open() and share() when the system gives no descriptor, and as LogWriter::add_host.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/unique_fd.h"
#include "training/logs/logs.h"

namespace evener::backends {

class HostOutputs {
 public:
  // Makes a pipe per host and gives its reading end to `logs`.
  static Result<HostOutputs> open(const std::vector<std::string>& hosts, logs::LogWriter& logs);
  // A writing end for a command that is not the host's last.
  Result<os::UniqueFd> share(const std::string& host) const;
  // The writing end itself: the log of the host ends with the last process that holds it.
  os::UniqueFd hand_over(const std::string& host);

 private:
  std::map<std::string, os::UniqueFd> ends_;
};

}  // namespace evener::backends
