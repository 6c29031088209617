// The job's own metrics, from its hosts' lines into the file of points, and their last values.
//
// Used by:  run_supervisor.
// Threads:  as logs::LineListener: one at a time; the answers once the log has been drained.
// Fails:    never; points that the file does not take are told by notices().
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "training/jobs/jobs.h"
#include "training/logs/logs.h"
#include "training/metrics/metrics.h"
#include "training/metrics/scanner/scanner.h"

namespace evener::backends {

class MetricLog final : public logs::LineListener {
 public:
  // A definition that cannot be used finds nothing and is noticed; requests with one are refused.
  MetricLog(const jobs::JobSpec& spec, std::filesystem::path file);

  // Whether there is anything to look for.
  bool looks() const { return scanner_.has_value(); }
  void line(const std::string& host, WallTime time, std::string_view text) override;
  void rest() override;

  // Of each metric that had a value the last, in the order of the definitions.
  std::vector<jobs::MetricValue> last_values() const;
  std::vector<std::string> notices() const;

 private:
  std::vector<jobs::MetricDefinition> definitions_;
  const std::filesystem::path file_;
  std::optional<metrics::MetricScanner> scanner_;
  std::unique_ptr<metrics::PointWriter> points_;    // none if the file cannot be had
  std::vector<std::optional<jobs::MetricValue>> last_;   // by definition
  std::vector<metrics::Found> found_;
  std::vector<std::string> notices_;
};

}  // namespace evener::backends
