// "127.0.0.1:8900", "[::1]:0" and "localhost:80" as an address and a port.
//
// Used by:  serve.
// Threads:  pure functions.
// Fails:    kInvalidArgument, with the form.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace evener::app {

struct ListenAddress {
  std::string address;          // numeric, without brackets
  std::uint16_t port = 0;
  bool loopback = true;
};

Result<ListenAddress> parse_listen_address(const std::string& text);

// As a URL has it: "127.0.0.1:80", "[::1]:80".
std::string to_string(const ListenAddress& address);

}  // namespace evener::app
