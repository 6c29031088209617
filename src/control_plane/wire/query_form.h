// The query form: "Action=...&Version=...&Dimensions.member.1.Name=...". Private to wire.
//
// Used by:  wire.
// Threads:  pure functions.
// Fails:    read_form() with "SerializationException: ..." on a bad escape, bytes that are not
//           UTF-8, a name given twice or at odds with another, or too many of them.
// Source:   Smithy's awsQuery.
#pragma once

#include <string>
#include <string_view>

#include "base/document.h"
#include "base/result.h"

namespace evener::wire {

inline constexpr std::size_t kFormParameters = 10'000;
inline constexpr std::size_t kFormMembers = 500;       // of one structure
inline constexpr std::size_t kFormDepth = 12;

// The value of one top parameter, "" where it is absent or malformed; reads nothing else.
std::string form_parameter(std::string_view form, std::string_view name);
// All parameters but Action and Version as one object.
Result<document::Value> read_form(std::string_view form);

}  // namespace evener::wire
