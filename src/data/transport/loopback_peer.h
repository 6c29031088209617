// Who is at the other end of a TCP connection within this machine.
//
// Used by:  server_loop.cc, for servers without a token.
// Threads:  reads /proc; any thread.
// Fails:    a peer that the kernel does not list is nobody of ours.
#pragma once

namespace evener::data::transport {

// The other end of `socket` is a socket of our user id, by the kernel's table of this network
// namespace. Costs a line for each TCP connection of the machine.
bool loopback_peer_is_same_user(int socket);

}  // namespace evener::data::transport
