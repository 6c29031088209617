#include "evener/listen_address.h"

#include <arpa/inet.h>

#include <charconv>
#include <optional>

namespace evener::app {
namespace {

enum class Family { kFour, kSix };

struct AddressKind {
  Family family;
  bool loopback;
};

// Nothing for a text that is no address.
std::optional<AddressKind> kind_of(const std::string& address) {
  in_addr four{};
  in6_addr six{};
  if (::inet_pton(AF_INET, address.c_str(), &four) == 1)
    return AddressKind{Family::kFour, ntohl(four.s_addr) >> 24 == 127};
  if (::inet_pton(AF_INET6, address.c_str(), &six) == 1)
    return AddressKind{Family::kSix, IN6_IS_ADDR_LOOPBACK(&six) != 0};
  return std::nullopt;
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
  const auto kind = kind_of(parsed.address);
  if (!kind || (kind->family == Family::kSix) != bracketed) return wrong;
  parsed.loopback = kind->loopback;
  return parsed;
}

std::string to_string(const ListenAddress& address) {
  const bool six = address.address.find(':') != std::string::npos;
  return (six ? "[" + address.address + "]" : address.address) + ":" + std::to_string(address.port);
}

}  // namespace evener::app
