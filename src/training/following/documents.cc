#include <charconv>
#include <utility>

#include "base/utf8.h"
#include "training/following/following.h"

namespace evener::following {
namespace {

using document::make_integer;
using document::make_list;
using document::make_object;
using document::make_string;
using document::Value;

Value time_value(WallTime time) { return make_integer(to_millis(time)); }

Value line_value(const HostLine& line) {
  Value value = make_object();
  value.set("Host", make_string(line.host));
  value.set("Group", make_string(line.group));
  value.set("Time", time_value(line.line.time));
  value.set("Text", make_string(valid_utf8(line.line.text)));
  for (const auto& [name, set] : {std::pair{"Continued", line.line.continued},
                                  {"Unterminated", line.line.unterminated},
                                  {"Replaced", line.line.replaced},
                                  {"Note", line.line.note}})
    if (set) value.set(name, document::make_boolean(true));
  return value;
}

Value sample_value(const metrics::Sample& sample) {
  Value value = make_object();
  value.set("Time", time_value(sample.time));
  value.set("Host", make_string(sample.host));
  value.set("CpuPercent", document::make_number(sample.cpu_percent));
  value.set("MemoryBytes", make_integer(static_cast<std::int64_t>(sample.memory_bytes)));
  return value;
}

Value progress_value(const metrics::Progress& progress) {
  Value value = make_object();
  value.set("Time", time_value(progress.time));
  value.set("Phase", make_string(progress.phase));
  value.set("DoneBytes", make_integer(static_cast<std::int64_t>(progress.done_bytes)));
  value.set("TotalBytes", make_integer(static_cast<std::int64_t>(progress.total_bytes)));
  return value;
}

std::int64_t integer_at(const Value& value, std::string_view name) {
  const Value* found = value.find(name);
  return found != nullptr && found->kind == document::Kind::kInteger ? found->integer : 0;
}
std::uint64_t size_at(const Value& value, std::string_view name) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, integer_at(value, name)));
}
WallTime time_at(const Value& value) { return from_millis(integer_at(value, "Time")); }

double number_at(const Value& value, std::string_view name) {
  const Value* found = value.find(name);
  double number = 0;
  if (found != nullptr)
    std::from_chars(found->text.data(), found->text.data() + found->text.size(), number);
  return number;
}

HostLine line_from(const Value& value) {
  return {.host = std::string(value.text_at("Host")),
          .group = std::string(value.text_at("Group")),
          .line = {.time = time_at(value),
                   .text = std::string(value.text_at("Text")),
                   .continued = value.true_at("Continued"),
                   .unterminated = value.true_at("Unterminated"),
                   .replaced = value.true_at("Replaced"),
                   .note = value.true_at("Note")}};
}

}  // namespace

Value document_of(const JobUpdate& update) {
  Value value = make_object();
  Value events = make_list({}), lines = make_list({}), samples = make_list({}),
        progress = make_list({});
  for (const auto& event : update.events) events.items.push_back(make_string(jobs::to_json(event)));
  for (const auto& line : update.lines) lines.items.push_back(line_value(line));
  for (const auto& one : update.live.samples) samples.items.push_back(sample_value(one));
  for (const auto& one : update.live.progress) progress.items.push_back(progress_value(one));
  value.set("Events", std::move(events));
  value.set("Lines", std::move(lines));
  value.set("Samples", std::move(samples));
  value.set("Progress", std::move(progress));
  return value;
}

Result<JobUpdate> update_from(const Value& value) {
  JobUpdate update;
  for (const Value& text : value.items_at("Events")) {
    auto event = jobs::event_from_json(text.text);
    if (!event) return tl::unexpected(event.error());
    update.events.push_back(std::move(*event));
  }
  for (const Value& line : value.items_at("Lines")) update.lines.push_back(line_from(line));
  for (const Value& one : value.items_at("Samples"))
    update.live.samples.push_back({.time = time_at(one),
                                   .host = std::string(one.text_at("Host")),
                                   .cpu_percent = number_at(one, "CpuPercent"),
                                   .memory_bytes = size_at(one, "MemoryBytes")});
  for (const Value& one : value.items_at("Progress"))
    update.live.progress.push_back({.time = time_at(one),
                                    .phase = std::string(one.text_at("Phase")),
                                    .done_bytes = size_at(one, "DoneBytes"),
                                    .total_bytes = size_at(one, "TotalBytes")});
  return update;
}

Value document_of(const Position& position) {
  Value value = make_object();
  value.set("Row", make_integer(position.row));
  Value logs = make_object();
  for (const auto& [host, place] : position.logs)
    logs.members.push_back({host, make_integer(static_cast<std::int64_t>(place))});
  value.set("Logs", std::move(logs));
  value.set("Samples", make_integer(static_cast<std::int64_t>(position.samples)));
  return value;
}

Result<Position> position_from(const Value& value) {
  constexpr std::size_t kMostHosts = 100'000;
  const auto foreign = failure(ErrorCode::kInvalidArgument, "Position is not one that was returned");
  const auto is_place = [](const Value& place) {
    return place.kind == document::Kind::kInteger && place.integer >= 0;
  };
  for (const char* name : {"Row", "Samples"})
    if (const Value* place = value.find(name); place != nullptr && !is_place(*place)) return foreign;
  Position position{.row = integer_at(value, "Row"), .samples = size_at(value, "Samples")};
  const Value* logs = value.find("Logs");
  if (logs == nullptr) return position;
  if (logs->kind != document::Kind::kObject || logs->members.size() > kMostHosts) return foreign;
  for (const auto& [host, place] : logs->members) {
    if (!is_place(place)) return foreign;
    position.logs[host] = static_cast<std::uint64_t>(place.integer);
  }
  return position;
}

}  // namespace evener::following
