#include "training/backends/local/supervisor/metric_log.h"

#include <algorithm>

namespace evener::backends {

MetricLog::MetricLog(const jobs::JobSpec& spec, std::filesystem::path file)
    : definitions_(spec.metric_definitions), file_(std::move(file)) {
  if (definitions_.empty()) return;
  auto scanner = metrics::MetricScanner::make(definitions_);
  if (!scanner) {
    notices_.push_back("no metrics are taken from the log: " + scanner.error().message);
    return;
  }
  scanner_.emplace(std::move(*scanner));
  last_.resize(definitions_.size());
  auto points = metrics::make_point_writer(file_);
  if (points)
    points_ = std::move(*points);
  else
    notices_.push_back("only the last values of metrics are kept: " + points.error().message);
}

void MetricLog::line(const std::string& host, WallTime time, std::string_view text) {
  scanner_->scan(text, found_);
  for (const metrics::Found& found : found_) {
    const std::string& name = definitions_[found.definition].name;
    last_[found.definition] = jobs::MetricValue{name, found.value, time};
    if (points_) points_->write({time, host, found.value, name});
  }
}

void MetricLog::rest() {
  if (points_) points_->flush();
}

std::vector<jobs::MetricValue> MetricLog::last_values() const {
  std::vector<jobs::MetricValue> values;
  for (const auto& last : last_) {
    if (!last) continue;
    const auto same = std::ranges::find(values, last->name, &jobs::MetricValue::name);
    if (same == values.end()) {
      if (values.size() < jobs::kMostFinalMetrics) values.push_back(*last);
    } else if (last->time >= same->time) {
      *same = *last;
    }
  }
  return values;
}

std::vector<std::string> MetricLog::notices() const {
  std::vector<std::string> notices = notices_;
  if (points_ && points_->thinned() > 0)
    notices.push_back(std::to_string(points_->thinned()) + " value(s) of metrics were left out of " +
                      file_.string() + ": past half of its limit of " +
                      std::to_string(metrics::kMaxPointFileBytes >> 20) +
                      " MiB one a second of each metric and host is kept");
  if (points_ && points_->lost() > 0)
    notices.push_back(std::to_string(points_->lost()) + " value(s) of metrics could not be written to " +
                      file_.string() + ": it is at its limit, or the disk is full");
  return notices;
}

}  // namespace evener::backends
