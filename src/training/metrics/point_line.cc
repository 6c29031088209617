#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "training/metrics/points.h"

namespace evener::metrics {
namespace {

constexpr std::size_t kTimeDigits = 13;
constexpr std::int64_t kMaxMillis = 9'999'999'999'999;

template <typename Number>
bool read_whole(std::string_view text, Number& number) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
}

// Up to the next space, which is passed over.
std::string_view take_word(std::string_view& rest) {
  const std::size_t space = rest.find(' ');
  const std::string_view word = rest.substr(0, space);
  rest.remove_prefix(space == std::string_view::npos ? rest.size() : space + 1);
  return word;
}

}  // namespace

std::string to_line(const Point& point) {
  std::string digits = std::to_string(std::clamp<std::int64_t>(to_millis(point.time), 0, kMaxMillis));
  std::string line(kTimeDigits - digits.size(), '0');
  std::array<char, 32> number{};
  const auto end = std::to_chars(number.data(), number.data() + number.size(), point.value).ptr;
  line.append(digits).append(1, ' ').append(point.host).append(1, ' ');
  line.append(number.data(), end).append(1, ' ').append(point.metric).append(1, '\n');
  return line;
}

std::optional<Point> parse_point(std::string_view line) {
  Point point;
  std::int64_t millis = 0;
  const std::string_view time = take_word(line);
  if (time.size() != kTimeDigits || time.front() == '-' || !read_whole(time, millis))
    return std::nullopt;
  point.time = from_millis(millis);
  point.host = take_word(line);
  const std::string_view value = take_word(line);
  if (point.host.empty() || line.empty() || !read_whole(value, point.value) ||
      !std::isfinite(point.value))
    return std::nullopt;
  point.metric = line;
  return point;
}

}  // namespace evener::metrics
