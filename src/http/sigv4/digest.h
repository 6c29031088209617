// SHA-256 and HMAC-SHA-256 as values.
//
// Used by:  sigv4.
// Threads:  pure functions.
// Fails:    never.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace evener::http {

using Digest = std::array<char, 32>;

Digest sha256(std::string_view bytes);
Digest hmac_sha256(std::string_view key, std::string_view bytes);
std::string to_hex(const Digest& digest);

inline std::string_view view_of(const Digest& digest) { return {digest.data(), digest.size()}; }

// Takes as long wherever the two differ; the lengths are no secret.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace evener::http
