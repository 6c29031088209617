#include <gtest/gtest.h>

#include <set>

#include "training/jobs/jobs.h"

namespace evener::jobs {
namespace {

// Every enumerator from 0 to `last` has a name of its own that leads back to it.
template <class Enum, class From>
void check_names(Enum last, From from) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    const auto value = static_cast<Enum>(i);
    EXPECT_EQ(from(to_string(value)), value);
    EXPECT_TRUE(names.insert(to_string(value)).second) << to_string(value);
  }
  EXPECT_FALSE(from("no such word"));
  EXPECT_FALSE(from(""));
}

TEST(Names, EveryEnumeratorRoundTrips) {
  check_names(JobStatus::kDeleting, job_status_from);
  check_names(SecondaryStatus::kRestarting, secondary_status_from);
  check_names(InputMode::kPipe, input_mode_from);
  check_names(DataType::kAugmentedManifestFile, data_type_from);
  check_names(Distribution::kShardedByS3Key, distribution_from);
  check_names(Compression::kGzip, compression_from);
  check_names(Fit::kScaled, fit_from);
  check_names(Isolation::kPlain, isolation_from);
  check_names(StopCause::kEngineLost, stop_cause_from);
  check_names(SortBy::kLastModifiedTime, sort_by_from);
  check_names(SortOrder::kDescending, sort_order_from);
}

TEST(Names, AreSpelledAsInTheApi) {
  EXPECT_EQ(to_string(JobStatus::kInProgress), "InProgress");
  EXPECT_EQ(to_string(SecondaryStatus::kMaxRuntimeExceeded), "MaxRuntimeExceeded");
  EXPECT_EQ(to_string(Distribution::kShardedByS3Key), "ShardedByS3Key");
  EXPECT_EQ(to_string(Compression::kNone), "None");
}

TEST(Names, EveryEventKindIsItsType) {
  EXPECT_EQ(kind_of(Submitted{}), "Submitted");
  EXPECT_EQ(kind_of(PendingReasonChanged{}), "PendingReasonChanged");
  EXPECT_EQ(kind_of(Launching{}), "Launching");
  EXPECT_EQ(kind_of(StatusMessageChanged{}), "StatusMessageChanged");
  EXPECT_EQ(kind_of(StagingStarted{}), "StagingStarted");
  EXPECT_EQ(kind_of(ChannelsStaged{}), "ChannelsStaged");
  EXPECT_EQ(kind_of(TrainingStarted{}), "TrainingStarted");
  EXPECT_EQ(kind_of(InstanceExited{}), "InstanceExited");
  EXPECT_EQ(kind_of(StopRequested{}), "StopRequested");
  EXPECT_EQ(kind_of(UploadingStarted{}), "UploadingStarted");
  EXPECT_EQ(kind_of(ArtifactsStored{}), "ArtifactsStored");
  EXPECT_EQ(kind_of(UsageReported{}), "UsageReported");
  EXPECT_EQ(kind_of(Noticed{}), "Noticed");
  EXPECT_EQ(kind_of(Ended{}), "Ended");
  EXPECT_EQ(kind_of(Deleted{}), "Deleted");
  EXPECT_EQ(kind_of(MetricsReported{}), "MetricsReported");
  EXPECT_EQ(kind_of(TagsChanged{}), "TagsChanged");
  EXPECT_EQ(kind_of(Updated{}), "Updated");
}

}  // namespace
}  // namespace evener::jobs
