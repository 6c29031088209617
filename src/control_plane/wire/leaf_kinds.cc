#include "control_plane/wire/leaf_kinds.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>

namespace evener::wire {
namespace {

using namespace std::string_view_literals;

// Members of the model's timestamp, integer and boolean shapes of CloudWatch, STS and IAM.
constexpr std::array kTimes{"StartTime"sv, "EndTime"sv, "Timestamp"sv, "Timestamps"sv,
                            "CreateDate"sv, "Expiration"sv};
constexpr std::array kNumbers{"Period"sv, "MaxDatapoints"sv, "MaxItems"sv, "DurationSeconds"sv};
constexpr std::array kBooleans{"ReturnData"sv, "IsTruncated"sv, "IncludeLinkedAccounts"sv};

constexpr std::array kLists{"Dimensions"sv,   "Statistics"sv,      "ExtendedStatistics"sv,
                            "ActionNames"sv,  "ResourceArns"sv,    "MetricDataQueries"sv,
                            "PolicyArns"sv,   "PolicyInputList"sv, "ContextEntries"sv,
                            "Tags"sv,         "PermissionsBoundaryPolicyInputList"sv};

template <std::size_t N>
bool holds(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

tl::unexpected<Error> malformed(std::string_view member, std::string_view wanted) {
  return failure(ErrorCode::kInvalidArgument, "SerializationException: " + std::string(member) +
                                                  " must be " + std::string(wanted));
}

// The next `digits` digits of `text`.
bool take_number(std::string_view& text, std::size_t digits, int& number) {
  if (text.size() < digits) return false;
  const auto parsed = std::from_chars(text.data(), text.data() + digits, number);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + digits || number < 0) return false;
  text.remove_prefix(digits);
  return true;
}

bool take(std::string_view& text, char wanted) {
  if (text.empty() || text.front() != wanted) return false;
  text.remove_prefix(1);
  return true;
}

// ".345" in milliseconds; further digits are passed over.
bool take_fraction(std::string_view& text, int& millis) {
  if (!take(text, '.')) return true;
  int scale = 100;
  const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0) return false;
  for (std::size_t i = 0; i < digits; ++i, scale /= 10) millis += (text[i] - '0') * scale;
  text.remove_prefix(digits);
  return true;
}

// "Z", "+01:00", "-0130" or nothing, in minutes.
bool take_offset(std::string_view& text, int& minutes) {
  if (text.empty() || text == "Z" || text == "z") {
    text = {};
    return true;
  }
  const bool west = text.front() == '-';
  if (!take(text, '+') && !take(text, '-')) return false;
  int hours = 0;
  int rest = 0;
  if (!take_number(text, 2, hours)) return false;
  take(text, ':');
  if (!take_number(text, 2, rest) || hours > 23 || rest > 59) return false;
  minutes = (hours * 60 + rest) * (west ? -1 : 1);
  return true;
}

}  // namespace

Leaf leaf_kind(std::string_view member) {
  if (holds(kTimes, member)) return Leaf::kTime;
  if (holds(kNumbers, member)) return Leaf::kNumber;
  if (holds(kBooleans, member)) return Leaf::kBoolean;
  return Leaf::kText;
}

bool is_map(std::string_view member) { return member == "ExtendedStatistics"; }

bool is_list(std::string_view member) { return holds(kLists, member); }

Result<std::int64_t> millis_from(std::string_view text) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, millis = 0, offset = 0;
  bool good = take_number(text, 4, year) && take(text, '-') && take_number(text, 2, month) &&
              take(text, '-') && take_number(text, 2, day);
  if (good && !text.empty())
    good = (take(text, 'T') || take(text, ' ')) && take_number(text, 2, hour) && take(text, ':') &&
           take_number(text, 2, minute) && (!take(text, ':') || take_number(text, 2, second)) &&
           take_fraction(text, millis) && take_offset(text, offset);
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!good || !text.empty() || !date.ok() || hour > 23 || minute > 59 || second > 60)
    return failure(ErrorCode::kInvalidArgument, "not a time");
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  return (((std::int64_t{days} * 24 + hour) * 60 + minute - offset) * 60 + second) * 1000 + millis;
}

Result<document::Value> read_leaf(std::string_view member, std::string_view text) {
  switch (leaf_kind(member)) {
    case Leaf::kText: return document::make_string(text);
    case Leaf::kTime: {
      const auto millis = millis_from(text);
      if (!millis) return malformed(member, "a time such as 2026-11-30T10:11:12Z");
      return document::make_seconds(*millis);
    }
    case Leaf::kBoolean:
      if (text != "true" && text != "false") return malformed(member, "true or false");
      return document::make_boolean(text == "true");
    case Leaf::kNumber: {
      std::int64_t whole = 0;
      const char* end = text.data() + text.size();
      if (const auto parsed = std::from_chars(text.data(), end, whole);
          parsed.ec == std::errc() && parsed.ptr == end)
        return document::make_integer(whole);
      return malformed(member, "a whole number");
    }
  }
  return document::make_string(text);
}

std::int64_t millis_of(const document::Value& seconds) {
  double number = 0;
  std::from_chars(seconds.text.data(), seconds.text.data() + seconds.text.size(), number);
  constexpr double kFarthest = 8.64e15;   // beyond what a calendar holds
  return std::llround(std::clamp(number * 1000, -kFarthest, kFarthest));
}

std::string time_text(const document::Value& seconds) {
  const std::int64_t millis = millis_of(seconds);
  const std::chrono::sys_time<std::chrono::milliseconds> time{std::chrono::milliseconds(millis)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  char text[64];
  const int length = std::snprintf(
      text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d", static_cast<int>(date.year()),
      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
      static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
      static_cast<int>(clock.seconds().count()));
  std::string out(text, static_cast<std::size_t>(length));
  if (clock.subseconds().count() != 0) {
    std::snprintf(text, sizeof text, ".%03d", static_cast<int>(clock.subseconds().count()));
    out += text;
  }
  return out + "Z";
}

}  // namespace evener::wire
