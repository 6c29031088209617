#include "training/operations/iso_time.h"

#include <chrono>

namespace evener::operations {
namespace {

// Reads from the left, and remembers whether all was as expected.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  int digits(std::size_t count) {
    int number = 0;
    if (rest_.size() < count) return fail();
    for (const char c : rest_.substr(0, count)) {
      if (c < '0' || c > '9') return fail();
      number = number * 10 + (c - '0');
    }
    rest_.remove_prefix(count);
    return number;
  }
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail();
  }
  // Digits after the point, as milliseconds; finer ones are dropped.
  int fraction() {
    int millis = 0, scale = 100;
    if (rest_.empty() || rest_[0] < '0' || rest_[0] > '9') return fail();
    while (!rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9') {
      millis += (rest_[0] - '0') * scale;
      scale /= 10;
      rest_.remove_prefix(1);
    }
    return millis;
  }
  bool whole() const { return good_ && rest_.empty(); }

 private:
  int fail() {
    good_ = false;
    return 0;
  }
  std::string_view rest_;
  bool good_ = true;
};

std::chrono::minutes zone_of(Scanner& scanner) {
  if (scanner.take('Z')) return {};
  const bool east = scanner.take('+');
  if (!east && !scanner.take('-')) return {};
  const int hours = scanner.digits(2);
  scanner.take(':');
  const std::chrono::minutes offset(hours * 60 + scanner.digits(2));
  return east ? offset : -offset;
}

}  // namespace

std::optional<WallTime> time_from_iso(std::string_view text) {
  Scanner scanner(text);
  const int year = scanner.digits(4);
  scanner.expect('-');
  const int month = scanner.digits(2);
  scanner.expect('-');
  const int day = scanner.digits(2);
  std::chrono::milliseconds time{};
  std::chrono::minutes zone{};
  if (scanner.take('T') || scanner.take(' ')) {
    const int hour = scanner.digits(2);
    scanner.expect(':');
    const int minute = scanner.digits(2);
    int second = 0, millis = 0;
    if (scanner.take(':')) second = scanner.digits(2);
    if (scanner.take('.')) millis = scanner.fraction();
    if (hour > 23 || minute > 59 || second > 60) return std::nullopt;
    time = std::chrono::hours(hour) + std::chrono::minutes(minute) +
           std::chrono::seconds(second) + std::chrono::milliseconds(millis);
    zone = zone_of(scanner);
  }
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!scanner.whole() || !date.ok()) return std::nullopt;
  return std::chrono::sys_days(date) + time - zone;
}

}  // namespace evener::operations
