#include "control_plane/cloudwatch/inputs.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace evener::control_plane {

tl::unexpected<Error> invalid(std::string text) {
  return failure(ErrorCode::kInvalidArgument, "ValidationException: " + std::move(text));
}

tl::unexpected<Error> invalid_value(std::string text) {
  return failure(ErrorCode::kInvalidArgument, "InvalidParameterValueException: " + std::move(text));
}

tl::unexpected<Error> invalid_combination(std::string text) {
  return failure(ErrorCode::kInvalidArgument,
                 "InvalidParameterCombinationException: " + std::move(text));
}

std::int64_t millis_at(const document::Value& input, std::string_view name) {
  const document::Value* member = input.find(name);
  if (member == nullptr) return 0;
  double seconds = static_cast<double>(member->integer);
  if (member->kind == document::Kind::kNumber) {
    const std::string& text = member->text;
    if (std::from_chars(text.data(), text.data() + text.size(), seconds).ec != std::errc())
      seconds = text.starts_with('-') ? -HUGE_VAL : HUGE_VAL;
  }
  constexpr double kFarthest = 8.64e15;   // beyond what a calendar holds
  return std::llround(std::clamp(seconds * 1000, -kFarthest, kFarthest));
}

std::int64_t integer_at(const document::Value& input, std::string_view name, std::int64_t absent) {
  const document::Value* member = input.find(name);
  return member != nullptr && member->kind == document::Kind::kInteger ? member->integer : absent;
}

bool is_period(std::int64_t seconds) {
  constexpr std::int64_t kDay = 86'400;
  if (seconds <= 0 || seconds > kDay) return false;
  return seconds % 60 == 0 || seconds == 1 || seconds == 5 || seconds == 10 || seconds == 30;
}

}  // namespace evener::control_plane
