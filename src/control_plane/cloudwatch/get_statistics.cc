#include "control_plane/cloudwatch/calls.h"
#include "control_plane/cloudwatch/inputs.h"
#include "control_plane/cloudwatch/series.h"

namespace evener::control_plane {
namespace {

using document::make_list;
using document::make_number;
using document::make_object;
using document::make_string;
using document::Value;

struct NamedStat {
  std::string name;
  Stat stat;
};
struct Wanted {
  std::vector<NamedStat> statistics{};
  std::vector<NamedStat> percentiles{};
};

Result<Wanted> wanted_of(const Value& input) {
  Wanted wanted;
  for (const Value& name : input.items_at("Statistics"))
    wanted.statistics.push_back({name.text, *stat_from(name.text)});
  for (const Value& name : input.items_at("ExtendedStatistics")) {
    const auto stat = stat_from(name.text);
    if (!stat || stat->statistic != Statistic::kPercentile)
      return invalid_value("The value " + name.text +
                           " for parameter ExtendedStatistics is not supported; percentiles such "
                           "as p99 or p99.9 are.");
    wanted.percentiles.push_back({name.text, *stat});
  }
  if (wanted.statistics.empty() && wanted.percentiles.empty())
    return failure(ErrorCode::kInvalidArgument,
                   "MissingRequiredParameterException: The parameter Statistics or "
                   "ExtendedStatistics is required.");
  if (!wanted.statistics.empty() && !wanted.percentiles.empty())
    return invalid_combination(
        "The parameters Statistics and ExtendedStatistics cannot be used together.");
  return wanted;
}

Result<Periods> read_periods(const Value& input) {
  const std::int64_t period = integer_at(input, "Period", 0);
  if (!is_period(period)) return invalid_value(std::string(kPeriodRule) + ".");
  const std::int64_t start = millis_at(input, "StartTime");
  const std::int64_t end = millis_at(input, "EndTime");
  if (start >= end)
    return invalid_value("The parameter StartTime must be less than the parameter EndTime.");
  const Periods periods = periods_of(start, end, period);
  if (count_of(periods) > kStatisticsDatapoints)
    return invalid_combination(
        "You have requested up to " + std::to_string(count_of(periods)) +
        " datapoints, which exceeds the limit of " + std::to_string(kStatisticsDatapoints) +
        ". You may reduce the datapoints requested by increasing Period, or decreasing the time "
        "range.");
  return periods;
}

Value datapoint(std::int64_t millis, const Bucket& bucket, const Wanted& wanted,
                const std::string& unit) {
  Value point = make_object();
  point.set("Timestamp", document::make_seconds(millis));
  for (const NamedStat& one : wanted.statistics)
    point.set(one.name, make_number(bucket.value(one.stat)));
  point.set("Unit", make_string(unit));
  if (wanted.percentiles.empty()) return point;
  Value percentiles = make_object();
  for (const NamedStat& one : wanted.percentiles)
    percentiles.set(one.name, make_number(bucket.value(one.stat)));
  point.set("ExtendedStatistics", std::move(percentiles));
  return point;
}

}  // namespace

Result<Value> get_metric_statistics(store::Store& store, const Value& input,
                                    const CloudWatchOptions& options) {
  const auto wanted = wanted_of(input);
  if (!wanted) return tl::unexpected<Error>(wanted.error());
  const auto periods = read_periods(input);
  if (!periods) return tl::unexpected<Error>(periods.error());
  auto source = find_source(store, metric_name(input), options);
  if (!source) return tl::unexpected<Error>(source.error());

  Value points = make_list({});
  const std::string_view unit = input.text_at("Unit");
  if (*source && (unit.empty() || unit == (*source)->unit)) {
    std::vector<Series> series;
    const Keep keep = wanted->percentiles.empty() ? Keep::kTotals : Keep::kValues;
    series.push_back({std::move(**source), Buckets(*periods, keep)});
    RETURN_IF_ERROR(read_series(series));
    for (const auto& [millis, bucket] : series[0].buckets.all())
      points.items.push_back(datapoint(millis, bucket, *wanted, series[0].source.unit));
  }
  Value output = make_object();
  output.set("Label", make_string(input.text_at("MetricName")));
  output.set("Datapoints", std::move(points));
  return output;
}

}  // namespace evener::control_plane
