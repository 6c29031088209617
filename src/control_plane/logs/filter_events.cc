#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <tuple>

#include "control_plane/logs/events.h"
#include "control_plane/logs/filter_pattern.h"
#include "control_plane/logs/log_calls.h"

namespace evener::control_plane {
namespace {

using document::Value;

constexpr std::size_t kRunEvents = 256;            // of one stream, read at once
constexpr std::size_t kScannedBytes = 16u << 20;   // in one call; then a page may be short
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

// The events of one stream, one after another.
class Cursor {
 public:
  static Result<Cursor> open(Stream stream, std::int64_t from, std::int64_t end) {
    auto pages = open_pages(stream);
    if (!pages) return tl::unexpected<Error>(pages.error());
    const auto place = (*pages)->place_of(from_millis(from));
    if (!place) return tl::unexpected<Error>(place.error());
    return Cursor(std::move(stream), std::move(*pages), *place, end);
  }

  // nullptr at the end.
  Result<const logs::PlacedLine*> peek() {
    if (at_ < page_.events.size()) return &page_.events[at_];
    if (ended_) return nullptr;
    auto page = page_after(*pages_, stream_, page_.end,
                           {.times = {0, end_}, .events = kRunEvents, .bytes = kLogPageBytes});
    if (!page) return tl::unexpected<Error>(page.error());
    page_ = std::move(*page);
    at_ = 0;
    ended_ = page_.events.empty();
    return ended_ ? nullptr : &page_.events[0];
  }
  void advance() { ++at_; }
  const Stream& stream() const { return stream_; }

 private:
  Cursor(Stream stream, std::unique_ptr<logs::LogPages> pages, std::uint64_t place, std::int64_t end)
      : stream_(std::move(stream)), pages_(std::move(pages)), end_(end) {
    page_.end = place;
  }

  Stream stream_;
  std::unique_ptr<logs::LogPages> pages_;
  EventPage page_;
  std::size_t at_ = 0;
  std::int64_t end_;
  bool ended_ = false;
};

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

void append_event(const Stream& stream, const logs::PlacedLine& placed, std::string& json) {
  const std::string time = std::to_string(to_millis(placed.line.time));
  if (json.back() == '}') json += ',';
  json += R"({"logStreamName":)" + document::quote(stream.name) + R"(,"timestamp":)" + time +
          R"(,"message":)" + document::quote(placed.line.text) + R"(,"ingestionTime":)" + time +
          R"(,"eventId":)" + document::quote(stream.name + ":" + std::to_string(placed.offset)) + "}";
}

// The cursor with the earliest event, those of equal time by their streams' names; its event.
struct Earliest {
  Cursor* cursor = nullptr;
  const logs::PlacedLine* line = nullptr;
};
Result<Earliest> earliest(std::vector<Cursor>& cursors) {
  Earliest first;
  for (Cursor& cursor : cursors) {
    const auto line = cursor.peek();
    if (!line) return tl::unexpected<Error>(line.error());
    if (*line != nullptr && (first.line == nullptr || (*line)->line.time < first.line->line.time))
      first = {&cursor, *line};
  }
  return first;
}

Result<std::vector<Cursor>> open_cursors(std::vector<Stream> streams, const Query& query) {
  std::vector<Cursor> cursors;
  for (Stream& stream : streams) {
    auto cursor =
        Cursor::open(std::move(stream), std::max(query.start, query.mark.millis), query.end);
    if (!cursor) return tl::unexpected<Error>(cursor.error());
    cursors.push_back(std::move(*cursor));
  }
  return cursors;
}

bool already_given(const Mark& mark, const Stream& stream, const logs::PlacedLine& placed) {
  const std::int64_t millis = to_millis(placed.line.time);
  return std::tie(millis, stream.name, placed.offset) <=
         std::tie(mark.millis, mark.stream, mark.place);
}

}  // namespace

Result<wire::Output> filter_log_events(store::Store& store, const Value& input,
                                       const LogOptions& options) {
  RETURN_IF_ERROR(check_group(input));
  const auto query = read_query(input);
  if (!query) return tl::unexpected<Error>(query.error());
  auto batch = chosen_streams(store, input, *query, options);
  if (!batch) return tl::unexpected<Error>(batch.error());
  auto cursors = open_cursors(std::move(batch->streams), *query);
  if (!cursors) return tl::unexpected<Error>(cursors.error());
  std::string json = R"({"events":[)";
  std::optional<Mark> mark = query->mark;
  mark->until = batch->until;
  std::size_t events = 0;
  for (std::size_t scanned = 0, given = 0;;) {
    const auto next = earliest(*cursors);
    if (!next) return tl::unexpected<Error>(next.error());
    if (next->line == nullptr) {
      mark.reset();
      if (!batch->until.empty()) mark = Mark{.after = batch->until};
      break;
    }
    const Stream& stream = next->cursor->stream();
    const std::size_t bytes = next->line->line.text.size() + kEventBytes;
    const bool fits = !already_given(query->mark, stream, *next->line) &&
                      query->pattern.matches(next->line->line.text);
    const bool full = events == query->limit || scanned > kScannedBytes ||
                      (fits && events > 0 && given + bytes > kLogPageBytes);
    if (full) break;
    scanned += bytes;
    if (fits) {
      append_event(stream, *next->line, json);
      given += bytes;
      ++events;
    }
    mark->millis = to_millis(next->line->line.time);
    mark->stream = stream.name;
    mark->place = next->line->offset;
    next->cursor->advance();
  }
  json += R"(],"searchedLogStreams":[])";
  if (mark) json += R"(,"nextToken":)" + document::quote(token_of(*mark));
  wire::Output output;
  output.ready_json = json + "}";
  return output;
}

}  // namespace evener::control_plane
