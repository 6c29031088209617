#include <charconv>

#include "base/utf8.h"
#include "control_plane/logs/events.h"
#include "control_plane/logs/log_calls.h"

namespace evener::control_plane {
namespace {

using document::Value;

enum class Direction { kForward, kBackward };

struct Start {
  Direction direction = Direction::kBackward;
  std::optional<std::uint64_t> place{};    // none: where the times say
};

// "f/<place>" or "b/<place>".
Result<Start> read_start(const Value& input) {
  const std::string_view token = input.text_at("nextToken");
  if (token.empty())
    return Start{input.true_at("startFromHead") ? Direction::kForward : Direction::kBackward, {}};
  std::uint64_t place = 0;
  const char* end = token.data() + token.size();
  const bool shaped = token.starts_with("f/") || token.starts_with("b/");
  const auto parsed = std::from_chars(token.data() + std::min<std::size_t>(2, token.size()), end, place);
  if (!shaped || parsed.ec != std::errc() || parsed.ptr != end)
    return invalid_parameter("The specified nextToken is invalid.");
  return Start{token.front() == 'f' ? Direction::kForward : Direction::kBackward, place};
}

Result<PageQuery> read_query(const Value& input) {
  constexpr std::int64_t kFarthest = std::numeric_limits<std::int64_t>::max();
  const auto start = integer_at(input, "startTime", 0, kFarthest, 0);
  const auto end = integer_at(input, "endTime", 0, kFarthest, kFarthest);
  const auto limit = integer_at(input, "limit", 1, kLogPageEvents, kLogPageEvents);
  for (const auto* one : {&start, &end, &limit})
    if (!*one) return tl::unexpected<Error>(one->error());
  return PageQuery{.times = {*start, *end}, .events = static_cast<std::size_t>(*limit)};
}

Result<EventPage> read_page(logs::LogPages& pages, const Stream& stream, const Start& start,
                            const PageQuery& query) {
  const bool forward = start.direction == Direction::kForward;
  Result<std::uint64_t> place = start.place.value_or(0);
  if (!start.place && forward && query.times.start > 0)
    place = pages.place_of(from_millis(query.times.start));
  if (!start.place && !forward)
    place = query.times.end == TimeRange().end ? pages.end()
                                               : pages.place_of(from_millis(query.times.end));
  if (!place) return tl::unexpected<Error>(place.error());
  return forward ? page_after(pages, stream, *place, query)
                 : page_before(pages, stream, *place, query);
}

std::string json_of(const EventPage& page) {
  std::string json = R"({"events":[)";
  for (const logs::PlacedLine& placed : page.events) {
    const std::string time = std::to_string(to_millis(placed.line.time));
    if (json.back() == '}') json += ',';
    json += R"({"timestamp":)" + time + R"(,"message":)" + document::quote(placed.line.text) +
            R"(,"ingestionTime":)" + time + "}";
  }
  return json + R"(],"nextForwardToken":"f/)" + std::to_string(page.end) +
         R"(","nextBackwardToken":"b/)" + std::to_string(page.begin) + R"("})";
}

}  // namespace

Result<wire::Output> get_log_events(store::Store& store, const Value& input,
                                    const LogOptions& options) {
  RETURN_IF_ERROR(check_group(input));
  const auto start = read_start(input);
  if (!start) return tl::unexpected<Error>(start.error());
  const auto query = read_query(input);
  if (!query) return tl::unexpected<Error>(query.error());
  const std::string_view name = input.text_at("logStreamName");
  if (name.empty()) return invalid_parameter("logStreamName is missing");
  const auto stream = find_stream(store, name, options);
  if (!stream) return tl::unexpected<Error>(stream.error());
  auto pages = open_pages(*stream);
  if (!pages) return tl::unexpected<Error>(pages.error());
  const auto page = read_page(**pages, *stream, *start, *query);
  if (!page && page.error().code == ErrorCode::kInvalidArgument)
    return invalid_parameter("The specified nextToken is invalid.");
  if (!page) return tl::unexpected<Error>(page.error());
  wire::Output output;
  output.ready_json = json_of(*page);
  return output;
}

}  // namespace evener::control_plane
