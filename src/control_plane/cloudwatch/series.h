// Where the values of a metric are, and reading those of several at once. Private to
// control_plane/cloudwatch.
//
// Used by:  control_plane/cloudwatch.
// Threads:  values; one Store per thread.
// Fails:    find_source() as the store; a metric that is not there is no error. read_series() with
//           LimitExceededException past kReadValues.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/document.h"
#include "control_plane/cloudwatch/cloudwatch.h"
#include "control_plane/cloudwatch/statistics.h"
#include "training/store/store.h"

namespace evener::control_plane {

inline constexpr std::string_view kCpu = "CPUUtilization";
inline constexpr std::string_view kMemory = "MemoryUtilization";
inline constexpr std::string_view kJobDimension = "TrainingJobName";
inline constexpr std::string_view kHostDimension = "Host";

// A metric's full name.
struct MetricName {
  std::string name_space{};
  std::string metric{};
  std::vector<std::pair<std::string, std::string>> dimensions{};
};
// From a Namespace, a MetricName and Dimensions.
MetricName metric_name(const document::Value& owner);
document::Value to_document(const MetricName& name);
// Every metric that a job has values of, as far as its events and its folder tell.
std::vector<MetricName> metrics_of(const jobs::TrainingJob& job, const CloudWatchOptions& options);

enum class Measure { kPoint, kCpuPercent, kMemoryBytes };
struct Source {
  Measure measure = Measure::kPoint;
  std::filesystem::path file;
  std::string metric;           // of points
  std::string host;             // of samples
  double scale = 1;             // of a value
  std::string unit = "None";
};
Result<std::optional<Source>> find_source(store::Store& store, const MetricName& name,
                                          const CloudWatchOptions& options);

struct Series {
  Source source;
  Buckets buckets;
};
// Reads each file once, whatever the number of series from it.
Status read_series(std::vector<Series>& series);

}  // namespace evener::control_plane
