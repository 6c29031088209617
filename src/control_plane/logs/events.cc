#include "control_plane/logs/events.h"

#include <algorithm>
#include <utility>

namespace evener::control_plane {
namespace {

constexpr std::size_t kRunLines = kLogPageEvents + 1;   // read at once

class EmptyPages final : public logs::LogPages {
 public:
  Result<std::uint64_t> place_of(WallTime) override { return std::uint64_t{0}; }
  Result<std::uint64_t> end() override { return std::uint64_t{0}; }
  Result<std::vector<logs::PlacedLine>> after(std::uint64_t, const logs::PageLimit&) override {
    return std::vector<logs::PlacedLine>();
  }
  Result<std::vector<logs::PlacedLine>> before(std::uint64_t, const logs::PageLimit&) override {
    return std::vector<logs::PlacedLine>();
  }
};

std::size_t size_of(const logs::PlacedLine& line) { return line.line.text.size() + kEventBytes; }

// Room for one more event?
class Room {
 public:
  explicit Room(const PageQuery& query) : query_(query) {}
  bool take(const logs::PlacedLine& line) {
    bytes_ += size_of(line);
    return ++events_ == 1 || (events_ <= query_.events && bytes_ <= query_.bytes);
  }
  bool full() const { return events_ >= query_.events || bytes_ >= query_.bytes; }

 private:
  const PageQuery& query_;
  std::size_t events_ = 0;
  std::size_t bytes_ = 0;
};

bool ends_log(logs::LogPages& pages, const logs::PlacedLine& line) {
  const auto next = pages.after(line.end, {.lines = 1, .bytes = 1});
  return next && next->empty();
}

// An unfinished line at the present end may still be replaced: it is not passed.
bool waits(const logs::PlacedLine& line, bool last, const Stream& stream) {
  return line.line.replaced && last && !stream.ended;
}

}  // namespace

bool is_event(const logs::LogLine& line, Place place) {
  return !line.text.empty() && (!line.replaced || place == Place::kLast);
}

Result<std::unique_ptr<logs::LogPages>> open_pages(const Stream& stream) {
  auto pages = logs::open_log_pages(stream.folder, stream.host);
  if (!pages && pages.error().code == ErrorCode::kNotFound) return std::make_unique<EmptyPages>();
  return pages;
}

Result<EventPage> page_after(logs::LogPages& pages, const Stream& stream, std::uint64_t place,
                             const PageQuery& query) {
  EventPage page{.events = {}, .begin = place, .end = place, .cut = {}};
  Room room(query);
  std::size_t walked = 0;
  while (!room.full()) {
    auto run = pages.after(page.end, {.lines = std::min(kRunLines, query.events + 1),
                                      .bytes = query.bytes});
    if (!run) return tl::unexpected<Error>(run.error());
    if (run->empty()) return page;
    const bool at_end = run->back().line.replaced && ends_log(pages, run->back());
    for (logs::PlacedLine& line : *run) {
      const bool last = at_end && &line == &run->back();
      if (to_millis(line.line.time) >= query.times.end || waits(line, last, stream)) return page;
      const std::uint64_t end = line.end;
      if (is_event(line.line, last ? Place::kLast : Place::kWithin) &&
          query.times.holds(to_millis(line.line.time))) {
        if (!room.take(line)) return page;
        page.events.push_back(std::move(line));
        page.end = end;
        continue;
      }
      page.end = end;
      walked += size_of(line);
      if (walked <= query.walked) continue;
      page.cut = PassedLine{line.line.time, line.offset};
      return page;
    }
  }
  return page;
}

Result<EventPage> page_before(logs::LogPages& pages, const Stream& stream, std::uint64_t place,
                              const PageQuery& query) {
  EventPage page{.events = {}, .begin = place, .end = place, .cut = {}};
  const auto log_end = pages.end();
  if (!log_end) return tl::unexpected<Error>(log_end.error());
  Room room(query);
  std::size_t walked = 0;
  const auto done = [&]() -> Result<EventPage> {
    std::ranges::reverse(page.events);
    return std::move(page);
  };
  while (!room.full()) {
    auto run = pages.before(page.begin, {.lines = std::min(kRunLines, query.events + 1),
                                         .bytes = query.bytes});
    if (!run) return tl::unexpected<Error>(run.error());
    if (run->empty()) return done();
    for (auto line = run->rbegin(); line != run->rend(); ++line) {
      const bool last = line->end == *log_end;
      const std::uint64_t begin = line->offset;
      if (to_millis(line->line.time) < query.times.start) return done();
      if (waits(*line, last, stream)) {
        page.end = std::min(page.end, begin);
      } else if (is_event(line->line, last && stream.ended ? Place::kLast : Place::kWithin) &&
               query.times.holds(to_millis(line->line.time))) {
        if (!room.take(*line)) return done();
        page.events.push_back(std::move(*line));
        page.begin = begin;
        continue;
      }
      page.begin = begin;
      walked += size_of(*line);
      if (walked <= query.walked) continue;
      page.cut = PassedLine{line->line.time, begin};
      return done();
    }
  }
  return done();
}

}  // namespace evener::control_plane
