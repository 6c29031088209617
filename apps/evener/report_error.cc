#include <cstdio>

#include "base/utf8.h"
#include "evener/commands.h"

namespace evener::app {
namespace {

// What a user typed stands in many messages, and may be of any length.
constexpr std::size_t kLongestMessage = 4096;

}  // namespace

int report_error(const Error& error, int code) {
  const std::string text = cut_utf8(error.message, kLongestMessage);
  const char* more = text.size() < error.message.size() ? "..." : "";
  std::fprintf(stderr, "evener: %s%s\n", text.c_str(), more);
  return code;
}

}  // namespace evener::app
