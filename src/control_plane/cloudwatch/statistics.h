// Values by period, and what CloudWatch tells of them. Private to control_plane/cloudwatch.
//
// Used by:  control_plane/cloudwatch.
// Threads:  values and pure functions.
// Fails:    stat_from() answers nothing for a statistic that is not known here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace evener::control_plane {

enum class Statistic { kAverage, kSum, kMinimum, kMaximum, kSampleCount, kPercentile };
std::string_view to_string(Statistic statistic);      // "Average", ...; "p" of percentiles
std::optional<Statistic> statistic_from(std::string_view text);

struct Stat {
  Statistic statistic = Statistic::kAverage;
  double percent = 0;                                  // of percentiles, 0..100
  bool operator==(const Stat&) const = default;
};
// "Average", "p99", "p99.9".
std::optional<Stat> stat_from(std::string_view text);

// Whether single values are needed.
enum class Keep { kTotals, kValues };

class Bucket {
 public:
  void add(double value, Keep keep);
  // Of at least one value; finite.
  double value(const Stat& stat) const;

 private:
  double percentile(double percent) const;

  double sum_ = 0;
  double minimum_ = 0;
  double maximum_ = 0;
  std::uint64_t count_ = 0;
  std::vector<double> values_;
};

// Times in milliseconds.
struct Periods {
  std::int64_t start = 0;      // of the first period
  std::int64_t end = 0;        // exclusive
  std::int64_t length = 60'000;
};
// The start is rounded down to the period, and to whole minutes where that is longer.
Periods periods_of(std::int64_t start, std::int64_t end, std::int64_t seconds);
std::int64_t count_of(const Periods& periods);

class Buckets {
 public:
  Buckets(const Periods& periods, Keep keep) : periods_(periods), keep_(keep) {}
  Buckets(Buckets&&) noexcept = default;
  Buckets& operator=(Buckets&&) noexcept = default;
  void add(std::int64_t millis, double value);
  const Periods& periods() const { return periods_; }
  // By the start of their period; those without a value are left out.
  const std::map<std::int64_t, Bucket>& all() const { return buckets_; }

 private:
  Periods periods_;
  Keep keep_;
  std::map<std::int64_t, Bucket> buckets_;
  Bucket* last_ = nullptr;     // of the period that begins at last_start_
  std::int64_t last_start_ = 0;
};

}  // namespace evener::control_plane
