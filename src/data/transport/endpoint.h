// Where a server listens, and how its peers are told apart.
//
// Used by:  control_server.h, control_client.h, data_server.h; data/client.
// Threads:  values and pure functions.
// Fails:    kInvalidArgument on an address that is none, with the form.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace evener::data::transport {

// "10.0.0.7:7000", "[::1]:7000", "algo-1:7000", or "unix:name" for an abstract unix socket.
struct Endpoint {
  std::string host;                         // without brackets; of a unix socket the name
  std::uint16_t port = 0;
  enum class Kind { kTcp, kUnix } kind = Kind::kTcp;
  bool operator==(const Endpoint&) const = default;
};
Result<Endpoint> parse_endpoint(std::string_view text);
std::string to_string(const Endpoint& endpoint);

// Processes with the same identity reach each other's abstract unix sockets: the kernel's boot and
// the network namespace.
Result<std::string> host_identity();

struct TlsServerFiles {
  std::string certificate;                  // path of a PEM file, the whole chain
  std::string private_key;                  // path of a PEM file
};

struct ListenOptions {
  std::string address = "127.0.0.1";        // numeric; "": no TCP
  std::uint16_t port = 0;                   // 0: any that is free
  std::string local{};                      // name of an abstract unix socket; "": none
  // What peers must show. Peers on the unix socket may be of the same user instead. Without a
  // token only loopback addresses are taken, and only peers of the same user.
  std::string token{};
  std::optional<TlsServerFiles> tls{};      // for TCP
  int connection_limit = 20'000;            // more are closed at once
  int unknown_limit = 1'000;                // connections before their hello; the oldest is closed
};

struct ConnectOptions {
  Endpoint endpoint;
  std::string tls_authority{};              // path of a PEM file to trust: TLS for TCP; "": none
};

}  // namespace evener::data::transport
