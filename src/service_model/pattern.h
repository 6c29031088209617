// The patterns of the service model (a subset of Java's regular expressions), matched in time
// linear in the text: no backtracking, no recursion over the text.
//
// Used by:  check.cc.
// Threads:  pure functions.
// Fails:    never; a pattern outside the subset matches everything (a test compiles each one of
//           the tables).
#pragma once

#include <string_view>

namespace evener::service_model {

// True where the whole of `text` (UTF-8) matches. The subset: literals, `.` (no line ends), escapes
// \d \w \s \S \uXXXX and \p{Alnum|L|N|Z}, classes with ranges, groups, `|`, and * + ? {n} {n,} {n,m};
// (?<!x) for one character x.
bool matches(std::string_view pattern, std::string_view text);

// False where `pattern` is outside the subset.
bool is_supported_pattern(std::string_view pattern);

}  // namespace evener::service_model
