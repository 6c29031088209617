#include <algorithm>
#include <utility>

#include "training/following/following.h"

namespace evener::following {
namespace {

// States of an unfinished line that a later one of these shows anew are left out: who comes late
// reads a line once.
void drop_replaced(std::vector<logs::PlacedLine>& lines) {
  const auto last = std::find_if(lines.rbegin(), lines.rend(),
                                 [](const auto& placed) { return !placed.line.note; });
  if (last == lines.rend()) return;
  const auto shown_anew = [](const auto& placed) { return placed.line.replaced; };
  const auto end = std::prev(last.base());
  lines.erase(std::remove_if(lines.begin(), end, shown_anew), end);
}

}  // namespace

JobReader::JobReader(store::Store& store, std::string job, JobFiles files, Position position)
    : store_(store),
      job_(std::move(job)),
      files_(std::move(files)),
      position_(std::move(position)),
      samples_(files_.samples, position_.samples) {}

Result<JobUpdate> JobReader::read(const ReadLimit& limit) {
  JobUpdate update;
  RETURN_IF_ERROR(read_events(limit, update));
  RETURN_IF_ERROR(read_lines(limit, update));
  update.live = samples_.poll(limit.samples);
  position_.samples = samples_.offset();
  return update;
}

Status JobReader::read_events(const ReadLimit& limit, JobUpdate& update) {
  auto events = store_.events_of(job_, position_.row, limit.events);
  if (!events) return tl::unexpected(events.error());
  for (auto& stored : *events) {
    position_.row = stored.row;
    if (std::holds_alternative<jobs::Launching>(stored.event.change)) hosts_known_ = false;
    update.events.push_back(std::move(stored.event));
  }
  return ok();
}

Status JobReader::read_hosts() {
  const auto job = store_.find(job_);
  if (!job && job.error().code == ErrorCode::kNotFound) return ok();   // deleted
  if (!job) return tl::unexpected(job.error());
  hosts_.clear();
  for (const auto& instance : job->instances)
    hosts_.push_back({.name = instance.placement.host,
                      .group = jobs::group_of(job->spec, instance.placement).name});
  return ok();
}

Status JobReader::read_lines(const ReadLimit& limit, JobUpdate& update) {
  if (!std::exchange(hosts_known_, true)) RETURN_IF_ERROR(read_hosts());
  const std::size_t share = limit.line_bytes / std::max<std::size_t>(1, hosts_.size());
  for (Host& host : hosts_) {
    if (!host.pages) {
      auto opened = logs::open_log_pages(files_.logs, host.name);
      if (!opened && opened.error().code == ErrorCode::kNotFound) continue;   // not begun
      if (!opened) return tl::unexpected(std::move(opened.error()));
      host.pages = std::move(*opened);
    }
    std::uint64_t& place = position_.logs[host.name];
    auto lines = host.pages->after(place, {.lines = limit.lines, .bytes = share});
    if (!lines) return tl::unexpected(std::move(lines.error()));
    if (lines->empty()) continue;
    place = lines->back().end;
    drop_replaced(*lines);
    for (auto& placed : *lines)
      update.lines.push_back({host.name, host.group, std::move(placed.line)});
  }
  return ok();
}

}  // namespace evener::following
