// CloudWatch Logs over the log files of jobs: one group, one stream for each host of a job from its
// launch on, one event for each line. Reading is all there is.
//
// Used by:  apps (`evener serve`).
// Threads:  the operations run on any.
// Fails:    operations with AWS's errors: ResourceNotFoundException, InvalidParameterException.
// Source:   AWS's API reference of CloudWatch Logs; CLI and SDK sources for what they rely on.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "control_plane/operations/operations.h"
#include "control_plane/stores/stores.h"

namespace evener::control_plane {

inline constexpr std::string_view kLogGroup = "/aws/sagemaker/TrainingJobs";
inline constexpr std::size_t kLogPageEvents = 10'000;
inline constexpr std::size_t kLogPageBytes = 1u << 20;

struct LogOptions {
  std::string account = "000000000000";
  // The folder with the logs of a job.
  std::function<std::filesystem::path(const std::string& job)> folder{};
};

// DescribeLogGroups, DescribeLogStreams, GetLogEvents, FilterLogEvents. `stores` outlives them.
std::vector<Operation> log_operations(Stores& stores, LogOptions options);

}  // namespace evener::control_plane
