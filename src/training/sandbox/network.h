// The private network of one job: a bridge in a network namespace without any uplink.
//
// Used by:  sandbox.
// Threads:  create() in a process with one thread; then one at a time.
// Fails:    naming the step; nothing is left, since the namespace ends with its last descriptor.
//
// .1 is the bridge (the relay for host services listens there), .2 and .3 the uplink's gateway
// and name server, .10+N the N-th instance.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "os/netlink.h"
#include "os/unique_fd.h"

namespace evener::sandbox {

struct Subnet {
  os::Ipv4 network;
  int prefix_bits = 24;
};
// The smallest of /24 and /16 that holds `instances` hosts.
Subnet subnet_for(std::size_t instances);
os::Ipv4 bridge_address(const Subnet& subnet);
os::Ipv4 gateway_address(const Subnet& subnet);
os::Ipv4 name_server_address(const Subnet& subnet);
os::Ipv4 instance_address(const Subnet& subnet, std::size_t index);   // index from 0

class JobNetwork {
 public:
  // With as many unbound TCP sockets inside as there are services.
  static Result<JobNetwork> create(const Subnet& subnet, std::size_t service_sockets);

  // A link from the bridge into the namespace of `process`, there named eth0.
  Status connect(std::size_t index, pid_t process);
  // Makes the link `name`, which another process put into the namespace, a port of the bridge.
  Status adopt(const std::string& name);
  int namespace_fd() const { return namespace_.get(); }
  std::vector<os::UniqueFd> take_service_sockets() { return std::move(service_sockets_); }

 private:
  JobNetwork(os::UniqueFd name_space, os::Netlink links)
      : namespace_(std::move(name_space)), links_(std::move(links)) {}
  Status make_bridge(const Subnet& subnet);

  os::UniqueFd namespace_;
  os::Netlink links_;
  int bridge_index_ = 0;
  std::vector<os::UniqueFd> service_sockets_;
};

}  // namespace evener::sandbox
