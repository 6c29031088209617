#include <algorithm>

#include "control_plane/logs/events.h"
#include "control_plane/logs/log_calls.h"
#include "control_plane/stores/stores.h"

namespace evener::control_plane {
namespace {

using document::make_integer;
using document::make_list;
using document::make_object;
using document::make_string;
using document::Value;

constexpr std::int64_t kStreamPage = 50;
constexpr std::string_view kTokenStart = "s/";

std::string group_arn(const std::string& region, const LogOptions& options) {
  return "arn:aws:logs:" + region + ":" + options.account + ":log-group:" + std::string(kLogGroup);
}

// Times of the first and of the last line, where there are any.
Status add_times(const Stream& stream, Value& described) {
  auto pages = open_pages(stream);
  if (!pages) return tl::unexpected<Error>(pages.error());
  const auto first = page_after(**pages, stream, 0, {.times = {}, .events = 1, .bytes = 1});
  if (!first) return tl::unexpected<Error>(first.error());
  const auto end = (*pages)->end();
  if (!end) return tl::unexpected<Error>(end.error());
  const auto last = page_before(**pages, stream, *end, {.times = {}, .events = 1, .bytes = 1});
  if (!last) return tl::unexpected<Error>(last.error());
  if (first->events.empty() || last->events.empty()) return ok();
  const std::int64_t time = to_millis(last->events.back().line.time);
  described.set("firstEventTimestamp", make_integer(to_millis(first->events.front().line.time)));
  described.set("lastEventTimestamp", make_integer(time));
  described.set("lastIngestionTime", make_integer(time));
  return ok();
}

Result<Value> described(const Stream& stream, const std::string& region, const LogOptions& options) {
  Value value = make_object();
  value.set("logStreamName", make_string(stream.name));
  value.set("creationTime", make_integer(to_millis(stream.created)));
  RETURN_IF_ERROR(add_times(stream, value));
  value.set("uploadSequenceToken", make_string("1"));
  value.set("arn", make_string(group_arn(region, options) + ":log-stream:" + stream.name));
  value.set("storedBytes", make_integer(0));
  return value;
}

Result<std::optional<jobs::PageKey>> read_token(std::string_view token) {
  if (token.empty()) return std::nullopt;
  auto key = page_key_from(kTokenStart, token);
  if (!key) return invalid_parameter("The specified nextToken is invalid.");
  return key;
}

Result<StreamQuery> read_query(const Value& input) {
  StreamQuery query;
  query.prefix = input.text_at("logStreamNamePrefix");
  const auto limit = integer_at(input, "limit", 1, kStreamPage, kStreamPage);
  if (!limit) return tl::unexpected<Error>(limit.error());
  query.limit = static_cast<std::size_t>(*limit);
  const std::string_view order = input.text_at("orderBy");
  if (!order.empty() && order != "LogStreamName" && order != "LastEventTime")
    return invalid_parameter("orderBy must be LogStreamName or LastEventTime");
  if (order == "LastEventTime" && !query.prefix.empty())
    return invalid_parameter("Cannot order by LastEventTime with a logStreamNamePrefix.");
  query.jobs.sort = order == "LastEventTime" ? jobs::SortBy::kLastModifiedTime : jobs::SortBy::kName;
  query.jobs.order =
      input.true_at("descending") ? jobs::SortOrder::kDescending : jobs::SortOrder::kAscending;
  auto after = read_token(input.text_at("nextToken"));
  if (!after) return tl::unexpected<Error>(after.error());
  query.jobs.after = std::move(*after);
  return query;
}

}  // namespace

Result<Value> describe_log_groups(const Value& input, const std::string& region,
                                  const LogOptions& options) {
  const std::string_view prefix = input.text_at("logGroupNamePrefix");
  const std::string_view pattern = input.text_at("logGroupNamePattern");
  Value groups = make_list({});
  if (kLogGroup.starts_with(prefix) && kLogGroup.find(pattern) != std::string_view::npos) {
    Value group = make_object();
    group.set("logGroupName", make_string(kLogGroup));
    group.set("creationTime", make_integer(0));
    group.set("metricFilterCount", make_integer(0));
    group.set("arn", make_string(group_arn(region, options) + ":*"));
    group.set("storedBytes", make_integer(0));
    groups.items.push_back(std::move(group));
  }
  Value output = make_object();
  output.set("logGroups", std::move(groups));
  return output;
}

// A page may have more streams than were asked for: a job's come together, since a client of
// SageMaker asks again and again for the first page of a job that has more than one.
Result<Value> describe_log_streams(store::Store& store, const Value& input,
                                   const std::string& region, const LogOptions& options) {
  RETURN_IF_ERROR(check_group(input));
  const auto query = read_query(input);
  if (!query) return tl::unexpected<Error>(query.error());
  const auto page = read_streams(store, *query, options);
  if (!page) return tl::unexpected<Error>(page.error());
  Value list = make_list({});
  for (const Stream& stream : page->streams) {
    auto one = described(stream, region, options);
    if (!one) return one;
    list.items.push_back(std::move(*one));
  }
  Value output = make_object();
  output.set("logStreams", std::move(list));
  if (page->next) output.set("nextToken", make_string(page_token(kTokenStart, *page->next)));
  return output;
}

}  // namespace evener::control_plane
