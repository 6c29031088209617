#include <algorithm>
#include <charconv>
#include <set>

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

constexpr std::string_view kTokenStart = "d/";

struct Query {
  std::string id;
  std::string label;
  Stat stat{};
  std::optional<std::size_t> series{};      // absent: there is no such metric
};
struct Plan {
  std::vector<Query> queries{};             // those whose data is returned
  std::vector<Series> series{};
};
struct Times {
  std::int64_t start = 0;
  std::int64_t end = 0;
};

bool is_id(std::string_view id) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto rest = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '_'; };
  return !id.empty() && id.front() >= 'a' && id.front() <= 'z' && std::ranges::all_of(id, rest);
}

Result<Times> read_times(const Value& input) {
  const Times times{millis_at(input, "StartTime"), millis_at(input, "EndTime")};
  if (times.start >= times.end)
    return invalid("The parameter StartTime must be less than the parameter EndTime.");
  return times;
}

Status check_query(const Value& query, std::set<std::string>& ids) {
  const std::string id(query.text_at("Id"));
  if (!is_id(id))
    return invalid("The value '" + id +
                   "' for parameter MetricDataQueries.member.Id is not matching the expected "
                   "pattern ^[a-z][a-zA-Z0-9_]*$.");
  if (!ids.insert(id).second) return invalid("The values for parameter id in MetricDataQueries are not unique.");
  if (query.find("Expression") != nullptr)
    return invalid("The query '" + id +
                   "' has an Expression: metric math is not supported; ask for each MetricStat and "
                   "compute on the answer.");
  if (query.find("MetricStat") == nullptr)
    return invalid("The query '" + id + "' must have a MetricStat.");
  const Value& stat = *query.find("MetricStat");
  if (!is_period(integer_at(stat, "Period", 0)))
    return invalid(std::string(kPeriodRule) + ": query '" + id + "'.");
  if (!stat_from(stat.text_at("Stat")))
    return invalid("The value '" + std::string(stat.text_at("Stat")) +
                   "' for parameter Stat is not supported in query '" + id +
                   "'; Average, Sum, Minimum, Maximum, SampleCount and percentiles such as p99 are.");
  return ok();
}

Result<Query> plan_query(store::Store& store, const Value& input, const Times& times,
                         const CloudWatchOptions& options, std::vector<Series>& series) {
  const Value& stat = *input.find("MetricStat");
  const Value* metric = stat.find("Metric");
  Query query{.id = std::string(input.text_at("Id")),
              .label = std::string(input.text_at("Label")),
              .stat = *stat_from(stat.text_at("Stat"))};
  if (query.label.empty()) query.label = metric->text_at("MetricName");
  auto source = find_source(store, metric_name(*metric), options);
  if (!source) return tl::unexpected<Error>(source.error());
  const std::string_view unit = stat.text_at("Unit");
  if (!*source || (!unit.empty() && unit != (*source)->unit)) return query;
  const bool percentile = query.stat.statistic == Statistic::kPercentile;
  query.series = series.size();
  series.push_back({std::move(**source),
                    Buckets(periods_of(times.start, times.end, integer_at(stat, "Period", 0)),
                            percentile ? Keep::kValues : Keep::kTotals)});
  return query;
}

Result<Plan> plan_of(store::Store& store, const Value& input, const Times& times,
                     const CloudWatchOptions& options) {
  const auto& queries = input.items_at("MetricDataQueries");
  if (queries.size() > kDataQueries)
    return invalid("The collection MetricDataQueries must not have a size greater than " +
                   std::to_string(kDataQueries) + ".");
  if (queries.empty()) return invalid("The parameter MetricDataQueries is required.");
  std::set<std::string> ids;
  for (const Value& query : queries) RETURN_IF_ERROR(check_query(query, ids));
  Plan plan;
  for (const Value& query : queries) {
    const Value* returned = query.find("ReturnData");
    if (returned != nullptr && !returned->boolean) continue;
    auto planned = plan_query(store, query, times, options, plan.series);
    if (!planned) return tl::unexpected<Error>(planned.error());
    plan.queries.push_back(std::move(*planned));
  }
  return plan;
}

// Which of all datapoints, counted over the queries in their order, are in a page.
struct Page {
  std::size_t first = 0;
  std::size_t end = 0;
  std::size_t seen = 0;
  bool takes() {
    const std::size_t number = seen++;
    return number >= first && number < end;
  }
};

Result<Page> read_page(const Value& input) {
  Page page;
  const std::int64_t most = integer_at(input, "MaxDatapoints", kDataDatapoints);
  if (most < 1 || most > kDataDatapoints)
    return invalid("The value for parameter MaxDatapoints must be from 1 to " +
                   std::to_string(kDataDatapoints) + ".");
  std::string_view token = input.text_at("NextToken");
  if (!token.empty()) {
    const bool shaped = token.starts_with(kTokenStart);
    token.remove_prefix(shaped ? kTokenStart.size() : 0);
    const auto parsed = std::from_chars(token.data(), token.data() + token.size(), page.first);
    if (!shaped || parsed.ec != std::errc() || parsed.ptr != token.data() + token.size() ||
        page.first > kReadValues)
      return failure(ErrorCode::kInvalidArgument, "InvalidNextToken: The NextToken is not valid.");
  }
  page.end = page.first + static_cast<std::size_t>(most);
  return page;
}

enum class ScanOrder { kDescending, kAscending };

Value result_of(const Query& query, const std::vector<Series>& series, ScanOrder order, Page& page) {
  Value times = make_list({});
  Value values = make_list({});
  const auto give = [&](const std::pair<const std::int64_t, Bucket>& one) {
    if (!page.takes()) return;
    times.items.push_back(document::make_seconds(one.first));
    values.items.push_back(make_number(one.second.value(query.stat)));
  };
  if (query.series) {
    const auto& buckets = series[*query.series].buckets.all();
    if (order == ScanOrder::kAscending)
      std::for_each(buckets.begin(), buckets.end(), give);
    else
      std::for_each(buckets.rbegin(), buckets.rend(), give);
  }
  Value result = make_object();
  result.set("Id", make_string(query.id));
  result.set("Label", make_string(query.label));
  result.set("Timestamps", std::move(times));
  result.set("Values", std::move(values));
  result.set("StatusCode", make_string(page.seen > page.end ? "PartialData" : "Complete"));
  return result;
}

}  // namespace

Result<Value> get_metric_data(store::Store& store, const Value& input,
                              const CloudWatchOptions& options) {
  const auto times = read_times(input);
  if (!times) return tl::unexpected<Error>(times.error());
  auto page = read_page(input);
  if (!page) return tl::unexpected<Error>(page.error());
  auto plan = plan_of(store, input, *times, options);
  if (!plan) return tl::unexpected<Error>(plan.error());
  RETURN_IF_ERROR(read_series(plan->series));

  const ScanOrder order = input.text_at("ScanBy") == "TimestampAscending" ? ScanOrder::kAscending
                                                                          : ScanOrder::kDescending;
  Value results = make_list({});
  for (const Query& query : plan->queries)
    results.items.push_back(result_of(query, plan->series, order, *page));
  Value output = make_object();
  output.set("MetricDataResults", std::move(results));
  if (page->seen > page->end)
    output.set("NextToken", make_string(std::string(kTokenStart) + std::to_string(page->end)));
  output.set("Messages", make_list({}));
  return output;
}

}  // namespace evener::control_plane
