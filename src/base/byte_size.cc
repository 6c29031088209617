#include "base/byte_size.h"

#include <array>
#include <cctype>
#include <charconv>
#include <cstdio>

namespace evener {
namespace {

// Takes a non-negative decimal number off the front of `text`.
Result<double> take_number(std::string_view& text, std::string_view whole) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value,
                                            std::chars_format::fixed);
  if (error != std::errc() || value < 0)
    return failure(ErrorCode::kInvalidArgument,
                   "'" + std::string(whole) + "' does not start with a number");
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

std::string_view take_unit(std::string_view& text) {
  std::size_t length = 0;
  while (length < text.size() && std::isalpha(static_cast<unsigned char>(text[length])) != 0)
    ++length;
  const std::string_view unit = text.substr(0, length);
  text.remove_prefix(length);
  return unit;
}

}  // namespace

std::string format_bytes(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB"};
  if (bytes < 1024) return std::to_string(bytes) + " B";
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %s", value, kUnits[unit]);
  return text;
}

Result<std::uint64_t> parse_bytes(std::string_view text) {
  std::string_view rest = text;
  auto number = take_number(rest, text);
  if (!number) return tl::unexpected(number.error());
  std::string unit;
  for (char c : take_unit(rest)) unit += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  constexpr std::string_view kScales = "kmgt";
  double factor = 1;
  if (!unit.empty() && unit != "b") {
    const auto scale = kScales.find(unit[0]);
    const std::string tail = unit.substr(1);
    if (scale == std::string_view::npos || !(tail.empty() || tail == "b" || tail == "ib"))
      return failure(ErrorCode::kInvalidArgument,
                     "'" + std::string(text) + "': unknown unit; use B, K, M, G or T");
    for (std::size_t i = 0; i <= scale; ++i) factor *= 1024;
  }
  if (!rest.empty())
    return failure(ErrorCode::kInvalidArgument, "'" + std::string(text) + "' is not a size");
  const double bytes = *number * factor;
  if (bytes >= 9.2e18)
    return failure(ErrorCode::kInvalidArgument, "'" + std::string(text) + "' is too large");
  return static_cast<std::uint64_t>(bytes);
}

std::string format_duration(std::chrono::milliseconds duration) {
  const long long millis = duration.count();
  char text[48];
  if (millis < 1000) {
    std::snprintf(text, sizeof text, "%lld ms", millis);
  } else if (millis < 60'000) {
    std::snprintf(text, sizeof text, "%.1f s", static_cast<double>(millis) / 1000);
  } else if (millis < 3'600'000) {
    std::snprintf(text, sizeof text, "%lld min %02lld s", millis / 60'000, millis / 1000 % 60);
  } else {
    std::snprintf(text, sizeof text, "%lld h %02lld min", millis / 3'600'000, millis / 60'000 % 60);
  }
  return text;
}

Result<std::chrono::seconds> parse_duration(std::string_view text) {
  double seconds = 0;
  std::string_view rest = text;
  do {
    auto number = take_number(rest, text);
    if (!number) return tl::unexpected(number.error());
    const std::string_view unit = take_unit(rest);
    double factor = 1;
    if (unit == "m" || unit == "min") {
      factor = 60;
    } else if (unit == "h") {
      factor = 3600;
    } else if (unit == "d") {
      factor = 86400;
    } else if (!unit.empty() && unit != "s") {
      return failure(ErrorCode::kInvalidArgument,
                     "'" + std::string(text) + "': unknown unit; use s, m, h or d");
    }
    seconds += *number * factor;
  } while (!rest.empty());
  if (seconds > 1e12)
    return failure(ErrorCode::kInvalidArgument, "'" + std::string(text) + "' is too long");
  return std::chrono::seconds(static_cast<long long>(seconds));
}

}  // namespace evener
