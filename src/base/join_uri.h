// One URI, or absolute path, below another.
//
// Used by:  jobs, runner (places that a request's own are the start of).
// Threads:  a pure function.
// Fails:    never.
#pragma once

#include <string>
#include <string_view>

namespace evener {

// "<uri>/<tail>" with exactly one slash between.
std::string join_uri(std::string_view uri, std::string_view tail);

}  // namespace evener
