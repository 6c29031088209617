#include "base/visible.h"

namespace evener {
namespace {

void append_hex(std::string& text, char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  text += "\\x";
  text += kDigits[byte >> 4];
  text += kDigits[byte & 15];
}

}  // namespace

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

void append_visible(std::string& text, char c) {
  if (!is_control(c)) {
    text += c;
  } else if (c == '\n') {
    text += "\\n";
  } else if (c == '\r') {
    text += "\\r";
  } else if (c == '\t') {
    text += "\\t";
  } else {
    append_hex(text, c);
  }
}

std::string visible_ascii(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x80) {
      append_visible(shown, c);
    } else {
      append_hex(shown, c);
    }
  }
  return shown;
}

}  // namespace evener
