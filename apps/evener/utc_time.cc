#include "evener/utc_time.h"

#include <charconv>
#include <ctime>

#include "base/byte_size.h"

namespace evener::app {
namespace {

// Plain numbers below this are durations in seconds, above it seconds since the epoch.
constexpr std::int64_t kEpochFrom = 1'000'000'000;

}  // namespace

std::string utc_time(WallTime time) {
  const std::int64_t millis = to_millis(time);
  const std::time_t seconds = millis / 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[48];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
  return std::string(text) + "." + std::to_string(1000 + millis % 1000).substr(1) + "Z";
}

Result<WallTime> parse_since(const std::string& text, WallTime now) {
  std::tm parts{};
  const char* rest = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  if (rest != nullptr && (*rest == '\0' || std::string_view(rest) == "Z"))
    return from_millis(std::int64_t{::timegm(&parts)} * 1000);
  std::int64_t seconds = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, seconds);
  if (parsed.ec == std::errc() && parsed.ptr == end && seconds >= kEpochFrom)
    return from_millis(seconds * 1000);
  auto back = parse_duration(text);
  if (!back)
    return failure(ErrorCode::kInvalidArgument,
                   "--since '" + text +
                       "': use a duration such as 10m, a time such as 2026-11-30T10:11:12Z, or "
                       "seconds since the epoch");
  return now - *back;
}

}  // namespace evener::app
