// Links, addresses and routes of one network namespace, over an rtnetlink socket.
//
// Used by:  sandbox.
// Threads:  one at a time. The socket acts on the namespace in which it was opened, wherever the
//           thread that uses it is.
// Fails:    with the kernel's errno; messages name the link.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/unique_fd.h"

namespace evener::os {

struct Ipv4 {
  std::uint32_t value = 0;   // host byte order
  bool operator==(const Ipv4&) const = default;
};
std::string to_string(Ipv4 address);
Result<Ipv4> parse_ipv4(const std::string& text);

class Netlink {
 public:
  // In the calling thread's network namespace.
  static Result<Netlink> open();
  // Over a socket that open_socket() gave, maybe in another process.
  explicit Netlink(UniqueFd socket) : socket_(std::move(socket)) {}
  static Result<UniqueFd> open_socket();

  Result<int> link_index(const std::string& name);
  Status add_bridge(const std::string& name);
  // A pair: `name` here, up and a port of `bridge_index`; its peer in the namespace of `peer_pid`.
  struct Veth {
    std::string name;
    std::string peer_name;
    pid_t peer_pid = 0;
    int bridge_index = 0;
  };
  Status add_veth(const Veth& veth);
  Status set_up(int index);
  // Makes the link a port of the bridge, and up.
  Status add_to_bridge(int index, int bridge_index);
  Status add_address(int index, Ipv4 address, int prefix_bits);
  Status add_default_route(Ipv4 gateway);

 private:
  class Request;
  Status send(Request& request, std::string_view what);

  UniqueFd socket_;
  std::uint32_t sequence_ = 0;
};

}  // namespace evener::os
