// Whether a peer knows the token, in a time that does not tell how much of it is right.
//
// Used by:  server_loop.cc.
// Threads:  a pure function.
// Fails:    never.
#pragma once

#include <cstddef>
#include <string_view>

namespace evener::data::transport {

inline bool same_token(std::string_view shown, std::string_view token) {
  unsigned difference = shown.size() == token.size() ? 0 : 1;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const auto ours = static_cast<unsigned char>(token[i % token.size()]);
    difference |= static_cast<unsigned>(static_cast<unsigned char>(shown[i]) ^ ours);
  }
  return difference == 0;
}

}  // namespace evener::data::transport
