// Services of the host inside a job's network: a listening socket there, a connection here.
//
// Used by:  sandbox.
// Threads:  one of its own; start() and the end from one thread.
// Fails:    start() when a port is taken or a target has no address. A connection whose target
//           refuses is reset; over kMostRelayedConnections new ones wait in the kernel's queue.
#pragma once

#include <memory>
#include <thread>
#include <vector>

#include "base/result.h"
#include "os/netlink.h"
#include "os/unique_fd.h"
#include "training/sandbox/sandbox.h"

namespace evener::sandbox {

inline constexpr std::size_t kMostRelayedConnections = 256;
inline constexpr std::size_t kRelayBufferBytes = 64u << 10;   // each direction

class HostRelay {
 public:
  // `sockets` are unbound and non-blocking, made in the job's network namespace, one a service.
  static Result<std::unique_ptr<HostRelay>> start(std::vector<os::UniqueFd> sockets,
                                                  const std::vector<HostService>& services,
                                                  os::Ipv4 address);
  ~HostRelay();
  HostRelay(const HostRelay&) = delete;
  HostRelay& operator=(const HostRelay&) = delete;

 private:
  HostRelay() = default;

  os::UniqueFd stop_;      // eventfd; readable: the thread ends
  std::jthread thread_;
};

}  // namespace evener::sandbox
