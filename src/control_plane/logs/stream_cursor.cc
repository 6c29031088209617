#include "control_plane/logs/stream_cursor.h"

#include <utility>

namespace evener::control_plane {

Result<std::optional<NextLine>> StreamCursor::peek() {
  if (at_ == held_.size() && !ended_) RETURN_IF_ERROR(fill());
  if (at_ == held_.size()) return std::optional<NextLine>();
  return held_[at_].next;
}

Result<std::string> StreamCursor::text() {
  Held& held = held_[at_];
  if (held.text) return std::move(*held.text);
  auto pages = open_pages(stream_);
  if (!pages) return tl::unexpected<Error>(pages.error());
  auto page = page_after(**pages, stream_, held.next.place, {.times = {0, start_.end}, .events = 1});
  if (!page) return tl::unexpected<Error>(page.error());
  return page->events.empty() ? std::string() : std::move(page->events[0].line.text);
}

Status StreamCursor::find_start(logs::LogPages& pages) {
  if (start_.place) return ok();
  const auto place = pages.place_of(from_millis(start_.from));
  if (!place) return tl::unexpected<Error>(place.error());
  start_.place = *place;
  return ok();
}

Status StreamCursor::fill() {
  held_.clear();
  at_ = 0;
  auto pages = open_pages(stream_);
  if (!pages) return tl::unexpected<Error>(pages.error());
  RETURN_IF_ERROR(find_start(**pages));
  auto page = page_after(**pages, stream_, *start_.place,
                         {.times = {0, start_.end},
                          .events = share_.events,
                          .bytes = share_.bytes,
                          .walked = share_.walked});
  if (!page && page.error().code == ErrorCode::kInvalidArgument)
    return invalid_parameter("The specified nextToken is invalid.");
  if (!page) return tl::unexpected<Error>(page.error());
  for (logs::PlacedLine& placed : page->events) {
    std::string& text = placed.line.text;
    Held held{{NextLine::Kind::kEvent, to_millis(placed.line.time), placed.offset, text.size()}, {}};
    if (text.size() <= share_.bytes) held.text = std::move(text);
    held_.push_back(std::move(held));
  }
  if (held_.empty() && page->cut)
    held_.push_back({{NextLine::Kind::kPassed, to_millis(page->cut->time), page->cut->place, 0}, {}});
  ended_ = held_.empty();
  read_ += page->end - page->begin;
  start_.place = page->end;
  return ok();
}

}  // namespace evener::control_plane
