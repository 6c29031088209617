#include "base/utf8.h"

#include <algorithm>

namespace evener {
namespace {

// Of the sequence at the front of `bytes`: its length if it is valid UTF-8, else minus the length
// of the longest part that could have begun a valid one (at least 1).
int sequence_length(std::string_view bytes) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char lead = at(0);
  if (lead < 0x80) return 1;
  int length = 0;
  unsigned char low = 0x80;  // bounds of the second byte: no overlong forms, surrogates, > 10FFFF
  unsigned char high = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) length = 2;
  if (lead >= 0xE0 && lead <= 0xEF) length = 3;
  if (lead >= 0xF0 && lead <= 0xF4) length = 4;
  if (lead == 0xE0) low = 0xA0;
  if (lead == 0xED) high = 0x9F;
  if (lead == 0xF0) low = 0x90;
  if (lead == 0xF4) high = 0x8F;
  if (length == 0) return -1;
  for (int i = 1; i < length; ++i) {
    const auto index = static_cast<std::size_t>(i);
    if (index >= bytes.size() || at(index) < low || at(index) > high) return -i;
    low = 0x80;
    high = 0xBF;
  }
  return length;
}

}  // namespace

std::string valid_utf8(std::string_view bytes) {
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const int length = sequence_length(bytes);
    const auto taken = static_cast<std::size_t>(length > 0 ? length : -length);
    text.append(length > 0 ? bytes.substr(0, taken) : kReplacement);
    bytes.remove_prefix(taken);
  }
  return text;
}

std::string cut_utf8(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return std::string(text);
  constexpr std::size_t kLongestCharacter = 4;
  std::size_t end = limit;
  while (end > 0 && limit - end < kLongestCharacter && continues_character(text[end])) --end;
  if (continues_character(text[end])) end = limit;
  return std::string(text.substr(0, end));
}

std::size_t count_characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char byte) { return !continues_character(byte); }));
}

}  // namespace evener
