#include <nlohmann/json.hpp>

#include "evener/summary.h"

namespace evener::app {
namespace {

using nlohmann::json;

template <class T>
json or_null(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

json group_json(const GroupSummary& group) {
  return {{"name", group.name},
          {"type", group.type},
          {"count", group.count},
          {"cpu_percent_mean", group.cpu_percent_mean},
          {"cpu_percent_max", group.cpu_percent_max},
          {"visible_cpus", group.visible_cpus},
          {"memory_peak_bytes", group.memory_peak_bytes},
          {"input_wait_fraction", or_null(group.input_wait_fraction)},
          {"billable_seconds", group.billable_seconds},
          {"usd", or_null(group.usd)},
          {"price", {{"note", group.price_note}, {"source", group.price_source}}}};
}

json clash_json(const jobs::PathClash& clash) {
  return {{"path", clash.path}, {"kept", clash.kept}, {"dropped", clash.dropped}};
}

}  // namespace

std::string summary_json(const JobSummary& summary) {
  json groups = json::array();
  for (const auto& group : summary.groups) groups.push_back(group_json(group));
  json clashes = json::array();
  for (const auto& clash : summary.artifacts.clashes) clashes.push_back(clash_json(clash));
  json metrics = json::array();
  for (const auto& metric : summary.metrics)
    metrics.push_back({{"name", metric.name}, {"value", metric.value}, {"t", to_millis(metric.time)}});
  const auto uri = [](const std::string& text) { return text.empty() ? json(nullptr) : json(text); };
  const json whole = {
      {"event", "summary"},
      {"job", summary.job},
      {"status", to_string(summary.status)},
      {"failure_reason", uri(summary.failure_reason)},
      {"phases",
       {{"pending", summary.phases.pending},
        {"starting", summary.phases.starting},
        {"downloading", summary.phases.downloading},
        {"training", summary.phases.training},
        {"stopping", summary.phases.stopping},
        {"uploading", summary.phases.uploading},
        {"total", summary.phases.total}}},
      {"groups", groups},
      {"usd", or_null(summary.usd)},
      {"region", summary.region},
      {"verdict", summary.verdict},
      {"bytes", {{"staged", summary.bytes_staged},
                 {"copied", summary.bytes_copied},
                 {"packed", summary.artifacts.bytes_read},
                 {"written", summary.artifacts.bytes_written}}},
      {"clashes", clashes},
      {"metrics", metrics},
      {"notices", summary.notices},
      {"artifacts", {{"model", uri(summary.artifacts.model_uri)},
                     {"output", uri(summary.artifacts.output_uri)}}}};
  return whole.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace evener::app
