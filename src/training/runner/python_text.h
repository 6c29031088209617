// How Python shows numbers and strings: repr() of a float and of a str.
//
// Used by:  json_text.
// Threads:  pure functions.
// Fails:    never.
#pragma once

#include <string>
#include <string_view>

namespace evener::runner {

std::string python_float(double number);             // "0.1", "1e-05", "1e+16", "nan"
std::string python_quoted(std::string_view text);    // 'a', "it's", 'x\n'

}  // namespace evener::runner
