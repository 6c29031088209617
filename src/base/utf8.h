// Text in UTF-8: made valid, cut, counted.
//
// Used by:  jobs, api, runner, backends/local (limits and texts of programs), apps (views).
// Threads:  pure functions.
// Fails:    never.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace evener {

// `bytes` with each invalid sequence replaced by U+FFFD.
std::string valid_utf8(std::string_view bytes);

// At most `limit` bytes of `text`, cut between two characters. Where there is none near the limit
// (not UTF-8) the cut is at the limit.
std::string cut_utf8(std::string_view text, std::size_t limit);

// Code points of valid UTF-8; of other bytes, those that do not continue a character.
std::size_t count_characters(std::string_view text);

// Whether `byte` is inside a character, not its first byte.
inline bool continues_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0u) == 0x80u;
}

}  // namespace evener
