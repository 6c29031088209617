#include "base/byte_size.h"

#include <array>
#include <cctype>
#include <charconv>
#include <cstdio>

namespace evener {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

tl::unexpected<Error> not_a(std::string_view text, std::string_view why) {
  return failure(ErrorCode::kInvalidArgument, "'" + std::string(text) + "' " + std::string(why));
}

// Takes a non-negative decimal number off the front of `text`.
Result<double> take_number(std::string_view& text, std::string_view whole) {
  double value = 0;
  const char* const last = text.data() + text.size();
  // The library's own rules would let "nan" and "-1" through.
  if (text.empty() || !is_digit(text.front())) return not_a(whole, "does not start with a number");
  const auto [end, error] = std::from_chars(text.data(), last, value, std::chars_format::fixed);
  if (error != std::errc()) return not_a(whole, "does not start with a number");
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
  constexpr double kRoundsUp = 1023.95;  // would be written as 1024.0
  if (bytes < 1024) return std::to_string(bytes) + " B";
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= kRoundsUp && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %s", value, kUnits[unit]);
  return text;
}

Result<std::uint64_t> parse_bytes(std::string_view text) {
  constexpr double kLimit = 9.2e18;  // below 2^63
  // Without a unit or a point: exactly, where a double would round.
  std::uint64_t whole = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
  if (error == std::errc() && end == text.data() + text.size()) {
    if (static_cast<double>(whole) >= kLimit) return not_a(text, "is too large");
    return whole;
  }
  std::string_view rest = text;
  auto number = take_number(rest, text);
  if (!number) return tl::unexpected(number.error());
  if (rest.size() > 1 && rest.front() == ' ') rest.remove_prefix(1);  // as format_bytes() writes it
  std::string unit;
  for (char c : take_unit(rest))
    unit += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  constexpr std::string_view kScales = "kmgtp";
  double factor = 1;
  if (!unit.empty() && unit != "b") {
    const auto scale = kScales.find(unit[0]);
    const std::string tail = unit.substr(1);
    if (scale == std::string_view::npos || !(tail.empty() || tail == "b" || tail == "ib"))
      return not_a(text, "has an unknown unit; use B, K, M, G, T or P");
    for (std::size_t i = 0; i <= scale; ++i) factor *= 1024;
  }
  if (!rest.empty()) return not_a(text, "is not a size");
  const double bytes = *number * factor;
  if (bytes >= kLimit) return not_a(text, "is too large");
  return static_cast<std::uint64_t>(bytes);
}

std::string format_duration(std::chrono::milliseconds duration) {
  constexpr long long kRoundsUpMillis = 59'950;  // would be written as 60.0 s
  const long long millis = duration.count();
  const long long seconds = (millis + 500) / 1000;
  char text[48];
  if (millis < 1000) {
    std::snprintf(text, sizeof text, "%lld ms", millis);
  } else if (millis < kRoundsUpMillis) {
    std::snprintf(text, sizeof text, "%.1f s", static_cast<double>(millis) / 1000);
  } else if (seconds < 3600) {
    std::snprintf(text, sizeof text, "%lld min %02lld s", seconds / 60, seconds % 60);
  } else {
    std::snprintf(text, sizeof text, "%lld h %02lld min", seconds / 3600, seconds / 60 % 60);
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
