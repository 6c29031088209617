// CHECK: an invariant whose failure is a bug of Evener, never of its input.
//
// Used by:  everything.
// Threads:  any.
// Fails:    prints the place and the condition to stderr and aborts.
#pragma once

#include <source_location>
#include <string_view>

namespace evener {

[[noreturn]] void check_failed(std::string_view condition, std::string_view message,
                               std::source_location where);

}  // namespace evener

#define CHECK(condition, message)                                                      \
  do {                                                                                 \
    if (!(condition)) [[unlikely]]                                                     \
      ::evener::check_failed(#condition, message, std::source_location::current());    \
  } while (false)
