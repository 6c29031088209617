#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <tuple>

#include "control_plane/logs/events.h"
#include "control_plane/logs/filter_pattern.h"
#include "control_plane/logs/log_calls.h"
#include "control_plane/logs/stream_cursor.h"

namespace evener::control_plane {
namespace {

using document::Value;

// What one call holds of all streams together, and the least for each.
constexpr std::size_t kHeldEvents = 64u << 10;
constexpr std::size_t kHeldBytes = 8u << 20;
constexpr std::size_t kLeastRunEvents = 16;
constexpr std::size_t kLeastWalkedBytes = 64u << 10;
constexpr std::size_t kScannedBytes = 16u << 20;   // in one call; then a page may be short
constexpr std::size_t kSearchedStreams = 500;      // about, in one call; then a page ends
constexpr std::size_t kNamedStreams = 100;
constexpr std::size_t kGrownStreams = 4 * kSearchedStreams;

// Where a page ended. Streams are searched in batches, by their jobs' names; in each, events are in
// the order of time, stream and place.
struct Mark {
  std::string after{};          // the batch: jobs behind this one,
  std::string until{};          // to this one; "": to where the batch is full
  std::int64_t millis = -1;     // of the last event given; -1: none of this batch
  std::uint64_t place = 0;
  std::string stream{};
};

std::string token_of(const Mark& mark) {
  return std::to_string(mark.millis) + "/" + std::to_string(mark.place) + "/" + mark.after + "/" +
         mark.until + "/" + mark.stream;
}

template <class Number>
bool take_number(std::string_view& text, Number& number) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr == text.data() + text.size() || *parsed.ptr != '/')
    return false;
  text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()) + 1);
  return true;
}

bool take_word(std::string_view& text, std::string& word) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  word = text.substr(0, slash);
  text.remove_prefix(slash + 1);
  return true;
}

Result<Mark> read_mark(std::string_view token) {
  Mark mark;
  if (token.empty()) return mark;
  if (!take_number(token, mark.millis) || !take_number(token, mark.place) || mark.millis < -1 ||
      !take_word(token, mark.after) || !take_word(token, mark.until))
    return invalid_parameter("The specified nextToken is invalid.");
  mark.stream = token;
  return mark;
}

struct Query {
  FilterPattern pattern;
  Mark mark;
  std::int64_t start = 0;
  std::int64_t end = 0;         // exclusive
  std::size_t limit = kLogPageEvents;
};

Result<Query> read_query(const Value& input) {
  constexpr std::int64_t kFarthest = std::numeric_limits<std::int64_t>::max();
  auto pattern = FilterPattern::parse(input.text_at("filterPattern"));
  if (!pattern) return tl::unexpected<Error>(pattern.error());
  auto mark = read_mark(input.text_at("nextToken"));
  if (!mark) return tl::unexpected<Error>(mark.error());
  const auto start = integer_at(input, "startTime", 0, kFarthest, 0);
  const auto end = integer_at(input, "endTime", 0, kFarthest, kFarthest - 1);
  const auto limit = integer_at(input, "limit", 1, kLogPageEvents, kLogPageEvents);
  for (const auto* one : {&start, &end, &limit})
    if (!*one) return tl::unexpected<Error>(one->error());
  return Query{std::move(*pattern), std::move(*mark), *start,
               std::min(*end, kFarthest - 1) + 1,   // FilterLogEvents includes its endTime
               static_cast<std::size_t>(*limit)};
}

// Which jobs may have printed something in the time that is asked for: those that go on, and those
// that something has happened to since it began.
std::vector<jobs::JobQuery> possible_jobs(const Query& query) {
  jobs::JobQuery any{.sort = jobs::SortBy::kName};
  if (query.end < std::numeric_limits<std::int64_t>::max())
    any.created_before = from_millis(query.end);
  if (query.start == 0) return {any};
  std::vector<jobs::JobQuery> all(3, any);
  all[0].modified_after = from_millis(query.start - 1);
  all[1].status = jobs::JobStatus::kInProgress;
  all[2].status = jobs::JobStatus::kStopping;
  return all;
}

struct Batch {
  std::vector<Stream> streams{};
  std::string until{};          // the last job; "": no other follows
};

// Jobs are in the order of their names without regard to case.
std::string order_of(std::string_view job) {
  std::string key(job);
  std::ranges::transform(key, key.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return key;
}

// Several lists of jobs are read as far as the one that had to be cut first.
Result<Batch> matching_streams(store::Store& store, std::string_view prefix, const Query& query,
                               const LogOptions& options) {
  Batch batch{.streams = {}, .until = query.mark.until};
  // A batch that has begun may have grown meanwhile.
  const std::size_t limit = batch.until.empty() ? kSearchedStreams : kGrownStreams;
  for (jobs::JobQuery jobs : possible_jobs(query)) {
    if (!query.mark.after.empty()) jobs.after = jobs::PageKey{.text = query.mark.after};
    auto page =
        read_streams(store, {.prefix = std::string(prefix), .jobs = jobs, .limit = limit}, options);
    if (!page) return tl::unexpected<Error>(page.error());
    std::ranges::move(page->streams, std::back_inserter(batch.streams));
    if (page->next && (batch.until.empty() || order_of(page->next->text) < order_of(batch.until)))
      batch.until = page->next->text;
  }
  if (!batch.until.empty())
    std::erase_if(batch.streams, [last = order_of(batch.until)](const Stream& stream) {
      return order_of(stream.name.substr(0, stream.name.find('/'))) > last;
    });
  std::ranges::sort(batch.streams, {}, &Stream::name);
  const auto again = std::ranges::unique(batch.streams, {}, &Stream::name);
  batch.streams.erase(again.begin(), again.end());
  return batch;
}

Result<Batch> chosen_streams(store::Store& store, const Value& input, const Query& query,
                             const LogOptions& options) {
  const auto& names = input.items_at("logStreamNames");
  const std::string_view prefix = input.text_at("logStreamNamePrefix");
  if (names.empty()) return matching_streams(store, prefix, query, options);
  if (!prefix.empty())
    return invalid_parameter("logStreamNames and logStreamNamePrefix cannot be combined.");
  if (names.size() > kNamedStreams)
    return invalid_parameter("more than " + std::to_string(kNamedStreams) + " logStreamNames");
  Batch batch;
  for (const Value& name : names) {
    auto stream = find_stream(store, name.text, options);
    if (!stream) return tl::unexpected<Error>(stream.error());
    batch.streams.push_back(std::move(*stream));
  }
  std::ranges::sort(batch.streams, {}, &Stream::name);
  return batch;
}

void append_event(const Stream& stream, const NextLine& line, std::string_view text,
                  std::string& json) {
  const std::string time = std::to_string(line.millis);
  if (!json.empty()) json += ',';
  json += R"({"logStreamName":)" + document::quote(stream.name) + R"(,"timestamp":)" + time +
          R"(,"message":)" + document::quote(text) + R"(,"ingestionTime":)" + time +
          R"(,"eventId":)" + document::quote(stream.name + ":" + std::to_string(line.place)) + "}";
}

// The cursor with the earliest line, those of equal time by their streams' names; its line.
struct Earliest {
  StreamCursor* cursor = nullptr;
  NextLine line{};
};
Result<Earliest> earliest(std::vector<StreamCursor>& cursors) {
  Earliest first;
  for (StreamCursor& cursor : cursors) {
    const auto line = cursor.peek();
    if (!line) return tl::unexpected<Error>(line.error());
    if (*line && (first.cursor == nullptr || (*line)->millis < first.line.millis))
      first = {&cursor, **line};
  }
  return first;
}

// Where a stream goes on after a page that ended at `mark`.
StreamCursor::Start start_of(const Stream& stream, const Query& query) {
  const Mark& mark = query.mark;
  StreamCursor::Start start{.place = {}, .from = query.start, .end = query.end};
  if (mark.millis < query.start) return start;
  if (stream.name == mark.stream) start.place = mark.place;
  start.from = stream.name < mark.stream ? mark.millis + 1 : mark.millis;
  return start;
}

std::vector<StreamCursor> make_cursors(std::vector<Stream> streams, const Query& query) {
  const std::size_t count = std::max<std::size_t>(1, streams.size());
  const CursorShare share{
      .events = std::clamp<std::size_t>(kHeldEvents / count, kLeastRunEvents, kLogPageEvents),
      .bytes = std::min(kHeldBytes / count, kLogPageBytes),
      .walked = std::max(kScannedBytes / count, kLeastWalkedBytes)};
  std::vector<StreamCursor> cursors;
  cursors.reserve(streams.size());
  for (Stream& stream : streams) {
    const auto start = start_of(stream, query);
    cursors.emplace_back(std::move(stream), start, share);
  }
  return cursors;
}

bool already_given(const Mark& mark, const Stream& stream, const NextLine& line) {
  return std::tie(line.millis, stream.name, line.place) <=
         std::tie(mark.millis, mark.stream, mark.place);
}

struct Page {
  std::string json{};           // events, with commas between
  std::optional<Mark> next{};
};

// Merges until the page is full, enough has been looked at, or nothing follows.
Result<Page> merge(std::vector<StreamCursor> cursors, const Query& query, const std::string& until) {
  Page page;
  Mark mark = query.mark;
  mark.until = until;
  std::size_t events = 0;
  std::size_t given = 0;
  std::uint64_t scanned = 0;
  for (bool moved = false;; moved = true) {
    const auto next = earliest(cursors);
    if (!next) return tl::unexpected<Error>(next.error());
    if (next->cursor == nullptr) {
      page.next.reset();
      if (!until.empty()) page.next = Mark{.after = until};
      return page;
    }
    page.next = mark;
    const Stream& stream = next->cursor->stream();
    for (StreamCursor& cursor : cursors) scanned += cursor.take_read();
    if (events == query.limit || (moved && scanned > kScannedBytes)) return page;
    if (next->line.kind == NextLine::Kind::kEvent && !already_given(query.mark, stream, next->line)) {
      const std::size_t bytes = next->line.bytes + kEventBytes;
      if (events > 0 && given + bytes > kLogPageBytes) return page;
      auto text = next->cursor->text();
      if (!text) return tl::unexpected<Error>(text.error());
      if (query.pattern.matches(*text)) {
        append_event(stream, next->line, *text, page.json);
        given += bytes;
        ++events;
      }
    }
    mark.millis = next->line.millis;
    mark.stream = stream.name;
    mark.place = next->line.place;
    next->cursor->advance();
  }
}

}  // namespace

Result<wire::Output> filter_log_events(store::Store& store, const Value& input,
                                       const LogOptions& options) {
  RETURN_IF_ERROR(check_group(input));
  const auto query = read_query(input);
  if (!query) return tl::unexpected<Error>(query.error());
  auto batch = chosen_streams(store, input, *query, options);
  if (!batch) return tl::unexpected<Error>(batch.error());
  const auto page = merge(make_cursors(std::move(batch->streams), *query), *query, batch->until);
  if (!page) return tl::unexpected<Error>(page.error());
  std::string json = R"({"events":[)" + page->json + R"(],"searchedLogStreams":[])";
  if (page->next) json += R"(,"nextToken":)" + document::quote(token_of(*page->next));
  wire::Output output;
  output.ready_json = json + "}";
  return output;
}

}  // namespace evener::control_plane
