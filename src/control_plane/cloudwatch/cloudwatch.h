// CloudWatch's metrics of training jobs, from the files of points and samples of each: the metrics
// that a job's MetricDefinitions found in its log (dimension TrainingJobName), and CPUUtilization and
// MemoryUtilization of its hosts (dimension Host, "<job>/algo-1"). Reading is all there is.
//
// Used by:  apps (`evener serve`).
// Threads:  the operations run on any.
// Fails:    operations with AWS's errors: ValidationException, InvalidParameterValue, ...; metric
//           math and statistics other than the five and percentiles are refused.
// Source:   AWS's API reference of CloudWatch; SageMaker's guide on monitoring with CloudWatch.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "control_plane/operations/operations.h"
#include "control_plane/stores/stores.h"

namespace evener::control_plane {

inline constexpr std::string_view kMetricNamespace = "/aws/sagemaker/TrainingJobs";
// Of one answer.
inline constexpr std::size_t kListedMetrics = 500;
inline constexpr std::int64_t kStatisticsDatapoints = 1440;
inline constexpr std::int64_t kDataDatapoints = 100'800;
inline constexpr std::size_t kDataQueries = 500;
// Values that one request may have read, so that none holds a thread for long.
inline constexpr std::size_t kReadValues = 5'000'000;

struct MetricFiles {
  std::filesystem::path points;
  std::filesystem::path samples;
};
struct CloudWatchOptions {
  std::function<MetricFiles(const std::string& job)> files{};
};

// GetMetricStatistics, GetMetricData, ListMetrics. `stores` and `clock` outlive them.
std::vector<Operation> cloudwatch_operations(Stores& stores, const Clock& clock,
                                             CloudWatchOptions options);

}  // namespace evener::control_plane
