#include "evener/listen_address.h"

#include <arpa/inet.h>

#include <charconv>

namespace evener::app {
namespace {

enum class Family { kNone, kFour, kSix };

Family family_of(const std::string& address, bool& loopback) {
  in_addr four{};
  in6_addr six{};
  if (::inet_pton(AF_INET, address.c_str(), &four) == 1) {
    loopback = ntohl(four.s_addr) >> 24 == 127;
    return Family::kFour;
  }
  if (::inet_pton(AF_INET6, address.c_str(), &six) == 1) {
    loopback = IN6_IS_ADDR_LOOPBACK(&six);
    return Family::kSix;
  }
  return Family::kNone;
}

}  // namespace

Result<ListenAddress> parse_listen_address(const std::string& text) {
  const auto wrong = failure(ErrorCode::kInvalidArgument,
                             "--listen '" + text + "': use ADDRESS:PORT, such as 127.0.0.1:8900, "
                             "[::1]:8900 or 127.0.0.1:0 for any free port");
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return wrong;
  ListenAddress parsed;
  const char* end = text.data() + text.size();
  const auto port = std::from_chars(text.data() + colon + 1, end, parsed.port);
  if (port.ec != std::errc() || port.ptr != end) return wrong;
  parsed.address = text.substr(0, colon);
  const bool bracketed = parsed.address.starts_with('[') && parsed.address.ends_with(']');
  if (bracketed) parsed.address = parsed.address.substr(1, parsed.address.size() - 2);
  if (parsed.address == "localhost") parsed.address = "127.0.0.1";
  const Family family = family_of(parsed.address, parsed.loopback);
  if (family == Family::kNone || (family == Family::kSix) != bracketed) return wrong;
  return parsed;
}

std::string to_string(const ListenAddress& address) {
  const bool six = address.address.find(':') != std::string::npos;
  return (six ? "[" + address.address + "]" : address.address) + ":" + std::to_string(address.port);
}

}  // namespace evener::app
