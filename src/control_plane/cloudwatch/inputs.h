// What the operations' inputs have in common. Private to control_plane/cloudwatch.
//
// Used by:  control_plane/cloudwatch.
// Threads:  pure functions.
// Fails:    with AWS's errors: invalid() as ValidationException, invalid_value() as
//           InvalidParameterValue, invalid_combination() as InvalidParameterCombination.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/document.h"
#include "base/result.h"

namespace evener::control_plane {

tl::unexpected<Error> invalid(std::string text);
tl::unexpected<Error> invalid_value(std::string text);
tl::unexpected<Error> invalid_combination(std::string text);

// Of a member that is a number of seconds; 0 where it is absent.
std::int64_t millis_at(const document::Value& input, std::string_view name);
std::int64_t integer_at(const document::Value& input, std::string_view name, std::int64_t absent);

// 1, 5, 10, 30 or a multiple of 60, at most a day.
bool is_period(std::int64_t seconds);
inline constexpr std::string_view kPeriodRule =
    "The parameter Period must be 1, 5, 10, 30 or a multiple of 60, at most 86400";

}  // namespace evener::control_plane
