#include "training/jobs/names.h"

#include "training/jobs/jobs.h"

namespace evener::jobs {
namespace {

constexpr NameTable<JobStatus, 6> kJobStatuses{{
    {JobStatus::kInProgress, "InProgress"},
    {JobStatus::kCompleted, "Completed"},
    {JobStatus::kFailed, "Failed"},
    {JobStatus::kStopping, "Stopping"},
    {JobStatus::kStopped, "Stopped"},
    {JobStatus::kDeleting, "Deleting"},
}};

constexpr NameTable<SecondaryStatus, 14> kSecondaryStatuses{{
    {SecondaryStatus::kPending, "Pending"},
    {SecondaryStatus::kStarting, "Starting"},
    {SecondaryStatus::kDownloading, "Downloading"},
    {SecondaryStatus::kTraining, "Training"},
    {SecondaryStatus::kInterrupted, "Interrupted"},
    {SecondaryStatus::kUploading, "Uploading"},
    {SecondaryStatus::kCompleted, "Completed"},
    {SecondaryStatus::kFailed, "Failed"},
    {SecondaryStatus::kMaxRuntimeExceeded, "MaxRuntimeExceeded"},
    {SecondaryStatus::kMaxWaitTimeExceeded, "MaxWaitTimeExceeded"},
    {SecondaryStatus::kStopped, "Stopped"},
    {SecondaryStatus::kStopping, "Stopping"},
    {SecondaryStatus::kUpdating, "Updating"},
    {SecondaryStatus::kRestarting, "Restarting"},
}};

constexpr NameTable<InputMode, 3> kInputModes{{
    {InputMode::kFile, "File"},
    {InputMode::kFastFile, "FastFile"},
    {InputMode::kPipe, "Pipe"},
}};

constexpr NameTable<DataType, 3> kDataTypes{{
    {DataType::kS3Prefix, "S3Prefix"},
    {DataType::kManifestFile, "ManifestFile"},
    {DataType::kAugmentedManifestFile, "AugmentedManifestFile"},
}};

constexpr NameTable<Distribution, 2> kDistributions{{
    {Distribution::kFullyReplicated, "FullyReplicated"},
    {Distribution::kShardedByS3Key, "ShardedByS3Key"},
}};

constexpr NameTable<Compression, 2> kCompressions{{
    {Compression::kNone, "None"},
    {Compression::kGzip, "Gzip"},
}};

constexpr NameTable<Fit, 3> kFits{{
    {Fit::kShare, "share"},
    {Fit::kStrict, "strict"},
    {Fit::kScaled, "scaled"},
}};

constexpr NameTable<Isolation, 2> kIsolations{{
    {Isolation::kNamespaces, "namespaces"},
    {Isolation::kPlain, "plain"},
}};

constexpr NameTable<StopCause, 3> kStopCauses{{
    {StopCause::kUser, "User"},
    {StopCause::kMaxRuntime, "MaxRuntime"},
    {StopCause::kEngineLost, "EngineLost"},
}};

constexpr NameTable<SortBy, 4> kSortBys{{
    {SortBy::kCreationTime, "CreationTime"},
    {SortBy::kName, "Name"},
    {SortBy::kStatus, "Status"},
    {SortBy::kLastModifiedTime, "LastModifiedTime"},
}};

constexpr NameTable<SortOrder, 2> kSortOrders{{
    {SortOrder::kAscending, "Ascending"},
    {SortOrder::kDescending, "Descending"},
}};

// In the order of JobChange's alternatives.
constexpr std::array<std::string_view, std::variant_size_v<JobChange>> kKinds{
    "Submitted",     "PendingReasonChanged", "Launching",       "StatusMessageChanged",
    "StagingStarted", "ChannelsStaged",      "TrainingStarted", "InstanceExited",
    "StopRequested", "UploadingStarted",     "ArtifactsStored", "UsageReported",
    "Noticed",       "Ended",                "Deleted",         "MetricsReported",
    "TagsChanged",   "Updated"};

}  // namespace

std::string_view to_string(JobStatus status) { return name_in(kJobStatuses, status); }
std::string_view to_string(SecondaryStatus status) { return name_in(kSecondaryStatuses, status); }
std::string_view to_string(InputMode mode) { return name_in(kInputModes, mode); }
std::string_view to_string(DataType type) { return name_in(kDataTypes, type); }
std::string_view to_string(Distribution value) { return name_in(kDistributions, value); }
std::string_view to_string(Compression compression) { return name_in(kCompressions, compression); }
std::string_view to_string(Fit fit) { return name_in(kFits, fit); }
std::string_view to_string(Isolation value) { return name_in(kIsolations, value); }
std::string_view to_string(StopCause cause) { return name_in(kStopCauses, cause); }
std::string_view to_string(SortBy by) { return name_in(kSortBys, by); }
std::string_view to_string(SortOrder order) { return name_in(kSortOrders, order); }

std::optional<JobStatus> job_status_from(std::string_view text) {
  return value_in(kJobStatuses, text);
}
std::optional<SecondaryStatus> secondary_status_from(std::string_view text) {
  return value_in(kSecondaryStatuses, text);
}
std::optional<InputMode> input_mode_from(std::string_view text) {
  return value_in(kInputModes, text);
}
std::optional<DataType> data_type_from(std::string_view text) { return value_in(kDataTypes, text); }
std::optional<Distribution> distribution_from(std::string_view text) {
  return value_in(kDistributions, text);
}
std::optional<Compression> compression_from(std::string_view text) {
  return value_in(kCompressions, text);
}
std::optional<Fit> fit_from(std::string_view text) { return value_in(kFits, text); }
std::optional<Isolation> isolation_from(std::string_view text) {
  return value_in(kIsolations, text);
}
std::optional<StopCause> stop_cause_from(std::string_view text) {
  return value_in(kStopCauses, text);
}
std::optional<SortBy> sort_by_from(std::string_view text) { return value_in(kSortBys, text); }
std::optional<SortOrder> sort_order_from(std::string_view text) {
  return value_in(kSortOrders, text);
}

std::string_view kind_of(const JobChange& change) { return kKinds[change.index()]; }

}  // namespace evener::jobs
