#include <charconv>
#include <cmath>
#include <optional>

#include "advice/catalog/catalog.h"
#include "advice/catalog/tables.h"

namespace evener::catalog {
namespace {

using std::chrono::days;
constexpr days kFresh{180};

bool take_digits(std::string_view& text, std::size_t count, int& value) {
  if (text.size() < count) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + count, value);
  const bool whole = error == std::errc() && end == text.data() + count;
  text.remove_prefix(count);
  return whole;
}

// The first day that "2022", "2022-10" or "2022-10-05" can mean: an age is never understated.
std::optional<std::chrono::sys_days> first_day(std::string_view text) {
  int year = 0;
  int month = 1;
  int day = 1;
  if (!take_digits(text, 4, year)) return std::nullopt;
  for (int* part : {&month, &day}) {
    if (text.empty()) break;
    if (text.front() != '-') return std::nullopt;
    text.remove_prefix(1);
    if (!take_digits(text, 2, *part)) return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!text.empty() || !date.ok()) return std::nullopt;
  return std::chrono::sys_days(date);
}

std::string counted(long count, const char* unit) {
  return std::to_string(count) + " " + unit + (count == 1 ? "" : "s");
}

}  // namespace

std::string fault_of(const InstanceType& type) {
  if (type.type.empty()) return "type is missing";
  if (type.vcpus < 1) return type.type + ": vcpus must be at least 1";
  if (!(type.memory_gib > 0)) return type.type + ": memory_gib must be more than 0";
  if (type.accelerator.empty() != (type.accelerators == 0))
    return type.type + ": accelerator and accelerator_count must agree";
  if (type.accelerator_memory_gib < 0 || type.network_gbit < 0)
    return type.type + ": sizes must not be negative";
  return "";
}

std::string fault_of(const Price& price) {
  if (price.type.empty()) return "type is missing";
  if (price.service.empty() || price.region.empty() || price.term.empty())
    return price.type + ": service, region and term are needed";
  if (!(price.usd_per_hour >= 0) || !std::isfinite(price.usd_per_hour))
    return price.type + ": usd_per_hour must be a price";
  if (!price.as_of.empty() && !first_day(price.as_of))
    return price.type + ": as_of '" + price.as_of + "' is not a date (2026-11-30, 2026-11 or 2026)";
  return "";
}

bool is_stale(const Price& price, WallTime now) {
  const auto date = first_day(price.as_of);
  return !date || now - *date > kFresh;
}

std::string price_age_note(const Price& price, WallTime now) {
  const auto date = first_day(price.as_of);
  if (!date) return "date unknown";
  if (!is_stale(price, now)) return price.as_of;
  const long months = std::chrono::floor<std::chrono::months>(now - *date).count();
  const std::string age = months < 24 ? counted(months, "month") : counted(months / 12, "year");
  return price.as_of + ", " + age + " old";
}

}  // namespace evener::catalog
