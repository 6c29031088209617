#include "control_plane/cloudwatch/statistics.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace evener::control_plane {
namespace {

constexpr std::array<std::string_view, 6> kNames{"Average", "Sum",         "Minimum",
                                                 "Maximum", "SampleCount", "p"};
constexpr std::int64_t kMinuteMillis = 60'000;

double finite(double value) {
  constexpr double kMost = std::numeric_limits<double>::max();
  return std::clamp(value, -kMost, kMost);
}

std::int64_t round_down(std::int64_t millis, std::int64_t step) {
  const std::int64_t rest = millis % step;
  return millis - (rest < 0 ? rest + step : rest);
}

}  // namespace

std::string_view to_string(Statistic statistic) {
  return kNames[static_cast<std::size_t>(statistic)];
}

std::optional<Statistic> statistic_from(std::string_view text) {
  const auto found = std::ranges::find(kNames, text);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Statistic>(found - kNames.begin());
}

std::optional<Stat> stat_from(std::string_view text) {
  const auto named = statistic_from(text);
  if (named && *named != Statistic::kPercentile) return Stat{*named, 0};
  if (!text.starts_with('p')) return std::nullopt;
  text.remove_prefix(1);
  const bool digits = !text.empty() && text.find_first_not_of("0123456789.") == std::string_view::npos;
  double percent = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, percent);
  if (!digits || parsed.ec != std::errc() || parsed.ptr != end || percent > 100) return std::nullopt;
  return Stat{Statistic::kPercentile, percent};
}

void Bucket::add(double value, Keep keep) {
  minimum_ = count_ == 0 ? value : std::min(minimum_, value);
  maximum_ = count_ == 0 ? value : std::max(maximum_, value);
  sum_ = finite(sum_ + value);
  ++count_;
  if (keep == Keep::kValues) values_.push_back(value);
}

double Bucket::value(const Stat& stat) const {
  switch (stat.statistic) {
    case Statistic::kAverage: return sum_ / static_cast<double>(count_);
    case Statistic::kSum: return sum_;
    case Statistic::kMinimum: return minimum_;
    case Statistic::kMaximum: return maximum_;
    case Statistic::kSampleCount: return static_cast<double>(count_);
    case Statistic::kPercentile: return percentile(stat.percent);
  }
  return 0;
}

// Between the two nearest ranks in proportion.
double Bucket::percentile(double percent) const {
  std::vector<double> values = values_;
  const double rank = percent / 100 * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::ptrdiff_t>(std::floor(rank));
  std::nth_element(values.begin(), values.begin() + low, values.end());
  const double below = values[static_cast<std::size_t>(low)];
  const double part = rank - std::floor(rank);
  if (part <= 0) return below;
  const double above = *std::min_element(values.begin() + low + 1, values.end());
  return finite(below * (1 - part) + above * part);
}

Periods periods_of(std::int64_t start, std::int64_t end, std::int64_t seconds) {
  const std::int64_t length = seconds * 1000;
  return {round_down(start, std::min(length, kMinuteMillis)), end, length};
}

std::int64_t count_of(const Periods& periods) {
  return (periods.end - periods.start + periods.length - 1) / periods.length;
}

void Buckets::add(std::int64_t millis, double value) {
  if (millis < periods_.start || millis >= periods_.end) return;
  const std::int64_t start =
      periods_.start + (millis - periods_.start) / periods_.length * periods_.length;
  if (last_ == nullptr || last_start_ != start) last_ = &buckets_.try_emplace(start).first->second;
  last_start_ = start;
  last_->add(value, keep_);
}

}  // namespace evener::control_plane
