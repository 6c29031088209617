#include "base/endpoint.h"

#include <charconv>

namespace evener {

std::optional<std::uint16_t> port_of(std::string_view endpoint) {
  const auto colon = endpoint.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::uint16_t port = 0;
  const char* end = endpoint.data() + endpoint.size();
  const auto [stop, error] = std::from_chars(endpoint.data() + colon + 1, end, port);
  if (error != std::errc() || stop != end || port == 0) return std::nullopt;
  return port;
}

}  // namespace evener
