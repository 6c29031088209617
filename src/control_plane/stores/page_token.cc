#include <charconv>

#include "control_plane/stores/stores.h"

namespace evener::control_plane {

std::string page_token(std::string_view start, const jobs::PageKey& key) {
  return std::string(start) + std::to_string(key.time_ms) + "/" + std::to_string(key.id) + "/" +
         key.text;
}

std::optional<jobs::PageKey> page_key_from(std::string_view start, std::string_view token) {
  if (!token.starts_with(start)) return std::nullopt;
  token.remove_prefix(start.size());
  const auto take = [&](std::int64_t& number) {
    const auto parsed = std::from_chars(token.data(), token.data() + token.size(), number);
    const auto used = static_cast<std::size_t>(parsed.ptr - token.data());
    if (parsed.ec != std::errc() || used == token.size() || *parsed.ptr != '/') return false;
    token.remove_prefix(used + 1);
    return true;
  };
  jobs::PageKey key;
  if (!take(key.time_ms) || !take(key.id)) return std::nullopt;
  key.text = token;
  return key;
}

}  // namespace evener::control_plane
