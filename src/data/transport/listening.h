// Sockets that listen, connect, or were just accepted, and what the kernel says of their peers.
//
// Used by:  server_loop.cc, control_client.cc; data/client.
// Threads:  system calls; any thread.
// Fails:    with the code of errno; kUnavailable for a taken address or one that refuses.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "data/transport/endpoint.h"
#include "os/unique_fd.h"

namespace evener::data::transport {

bool is_loopback(const std::string& address);            // numeric

Result<os::UniqueFd> listen_tcp(const std::string& address, std::uint16_t port);
Result<os::UniqueFd> listen_abstract(const std::string& name);
Result<std::uint16_t> port_of(int socket);

// Numeric, without a port; "unix" for a unix socket.
std::string peer_address(int socket);
// The peer of a unix socket has our user id.
bool peer_is_same_user(int socket);
// Small frames are sent at once.
void prepare_tcp(int socket);
// Of a connection within this machine: nothing is gained by pacing it, as BBR does with timers.
void expect_no_congestion(int socket);

// Non-blocking; connected, or soon (then the socket can be written to, and connect_error() tells).
// Host names are looked up, which may take a while. The server of a unix socket must be of our
// user, else kPermissionDenied.
Result<os::UniqueFd> begin_connect(const Endpoint& endpoint);
Status connect_error(int socket, const Endpoint& endpoint);

}  // namespace evener::data::transport
