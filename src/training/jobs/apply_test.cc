#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "training/jobs/job_story_test.h"
#include "training/jobs/jobs.h"

namespace evener::jobs {
namespace {

using enum SecondaryStatus;
using testing::ElementsAre;
using testing::HasSubstr;

const Ended kUserStopped{JobStatus::kStopped, kStopped, ""};

JobStory uploading() {
  JobStory story;
  story.training().exits("algo-1", {}).exits("algo-2", {}).exits("algo-3", {});
  story.then(UploadingStarted{});
  return story;
}

std::vector<std::string> messages(const TrainingJob& job) {
  std::vector<std::string> all;
  for (const Transition& transition : job.transitions) all.push_back(transition.message);
  return all;
}

TEST(Apply, AJobThatSucceedsPassesTheStatusesOfTheService) {
  JobStory story = uploading();
  story.then(ArtifactsStored{}).then(UsageReported{}).then(Ended{});
  EXPECT_THAT(story.path(), ElementsAre(kStarting, kDownloading, kTraining, kUploading, kCompleted));
  EXPECT_THAT(messages(story.job),
              ElementsAre("Launching requested ML instances", "Downloading input data",
                          "Training image download completed. Training in progress.",
                          "Uploading generated training model", "Training job completed"));
  EXPECT_EQ(story.job.status, JobStatus::kCompleted);
  EXPECT_TRUE(story.job.ended());
  const Transition& last = story.job.transitions.back();
  EXPECT_EQ(last.end, last.start);
  for (std::size_t i = 1; i < story.job.transitions.size(); ++i)
    EXPECT_EQ(story.job.transitions[i - 1].end, story.job.transitions[i].start);
}

TEST(Apply, AMessageInTheSameStatusReplacesTheTextOfTheLastTransition) {
  JobStory story;
  EXPECT_EQ(messages(story.job), std::vector<std::string>{"Starting the training job"});
  story.launched();
  const WallTime before = story.job.last_modified;
  story.then(StatusMessageChanged{"Preparing the instances for training"});
  EXPECT_THAT(messages(story.job), ElementsAre("Preparing the instances for training"));
  EXPECT_GT(story.job.last_modified, before);
  EXPECT_FALSE(story.job.transitions.back().end);
}

TEST(Apply, AJobWithoutChannelsHasNoDownloading) {
  JobStory story;
  story.launched().then(TrainingStarted{});
  EXPECT_THAT(story.path(), ElementsAre(kStarting, kTraining));
  EXPECT_TRUE(story.job.training_start);
}

TEST(Apply, AWaitingJobIsPendingAndSaysWhy) {
  JobStory story;
  story.then(PendingReasonChanged{"4 of 8 vCPU"});
  EXPECT_EQ(story.job.pending_reason, "4 of 8 vCPU");
  EXPECT_THAT(story.job.transitions.back().message, HasSubstr("4 of 8 vCPU"));
  story.then(PendingReasonChanged{"2 of 8 vCPU"}).launched();
  EXPECT_THAT(story.path(), ElementsAre(kStarting, kPending, kStarting));
  EXPECT_EQ(story.job.pending_reason, "");
}

TEST(Apply, AStopWhileTrainingStillUploads) {
  JobStory story;
  story.training().then(StopRequested{});
  EXPECT_EQ(story.job.status, JobStatus::kStopping);
  story.exits("algo-1", {}).exits("algo-2", {}).exits("algo-3", {}).then(UploadingStarted{});
  EXPECT_EQ(story.job.status, JobStatus::kStopping);
  story.then(kUserStopped);
  EXPECT_THAT(story.path(),
              ElementsAre(kStarting, kDownloading, kTraining, kStopping, kUploading, kStopped));
  EXPECT_EQ(story.job.transitions[3].message, "Stopping the training job");
  EXPECT_EQ(story.job.transitions[5].message, "Training job stopped");
  EXPECT_EQ(story.job.status, JobStatus::kStopped);
}

TEST(Apply, AStopBeforeTheLaunchEndsWithoutUpload) {
  JobStory story;
  story.then(PendingReasonChanged{"x"}).then(StopRequested{}).then(kUserStopped);
  EXPECT_THAT(story.path(), ElementsAre(kStarting, kPending, kStopping, kStopped));
  EXPECT_FALSE(story.job.training_start);
  EXPECT_FALSE(story.job.training_end);
}

TEST(Apply, TheMaximumRuntimeEndsAsStopped) {
  JobStory story;
  story.training().then(StopRequested{.cause = StopCause::kMaxRuntime});
  story.exits("algo-1", {}).exits("algo-2", {}).exits("algo-3", {}).then(UploadingStarted{});
  story.then(Ended{JobStatus::kStopped, kMaxRuntimeExceeded, ""});
  EXPECT_EQ(story.job.status, JobStatus::kStopped);
  EXPECT_EQ(story.job.secondary, kMaxRuntimeExceeded);
  EXPECT_THAT(story.job.transitions.back().message, HasSubstr("MaxRuntimeInSeconds"));
}

TEST(Apply, TheFirstCauseOfAStopStaysAndHasteOnlyGrows) {
  JobStory story;
  story.training().then(StopRequested{.cause = StopCause::kMaxRuntime});
  story.then(StopRequested{.cause = StopCause::kUser, .at_once = true});
  story.then(StopRequested{.cause = StopCause::kUser, .at_once = false});
  EXPECT_EQ(story.job.stop->cause, StopCause::kMaxRuntime);
  EXPECT_TRUE(story.job.stop->at_once);
}

TEST(Apply, FactsThatCrossAStopAreTakenInWithoutLeavingStopping) {
  JobStory story;
  story.launched().then(StopRequested{});
  story.then(StagingStarted{}).then(ChannelsStaged{}).then(TrainingStarted{});
  EXPECT_THAT(story.path(), ElementsAre(kStarting, kStopping));
  EXPECT_TRUE(story.job.training_start);
}

TEST(Apply, AFailedJobIsBilledUpToItsFirstFailure) {
  JobStory story;
  story.training().exits("algo-2", {.exit_code = 1});
  const WallTime failed = from_millis(story.now_ms);
  story.exits("algo-1", {.exit_code = 143, .stopped_by_us = true});
  story.exits("algo-3", {.exit_code = 143, .stopped_by_us = true});
  story.then(UploadingStarted{}).then(decide_outcome(story.job));
  EXPECT_EQ(story.job.training_end, failed);
  EXPECT_EQ(story.job.transitions.back().message, "Training job failed");
}

TEST(Apply, TimeNeverRunsBackwardsWithinAJob) {
  JobStory story;
  story.launched();
  const WallTime before = story.job.last_modified;
  story.now_ms -= 50'000;
  story.then(StagingStarted{});
  EXPECT_EQ(story.job.last_modified, before);
  EXPECT_EQ(story.job.transitions.back().start, before);
}

TEST(Apply, AJournalRecordCountsOnce) {
  JobStory story;
  story.launched();
  JobEvent event = story.event(StagingStarted{});
  event.journal_position = 3;
  ASSERT_TRUE(apply(story.job, event).has_value());
  const std::string before = to_json(story.job);
  ASSERT_TRUE(apply(story.job, event).has_value());
  event.journal_position = 2;
  ASSERT_TRUE(apply(story.job, event).has_value());
  EXPECT_EQ(to_json(story.job), before);
  EXPECT_EQ(story.job.imported_position, 3u);
}

TEST(Apply, AFailureReasonIsCutToTheLimitOfTheApi) {
  JobStory story;
  story.launched().then(Ended{JobStatus::kFailed, kFailed, std::string(1023, 'x') + "ä"});
  EXPECT_EQ(story.job.failure_reason, std::string(1023, 'x'));
}

void expect_refused(JobStory story, JobChange change, std::string_view why) {
  const std::string before = to_json(story.job);
  const std::string kind(kind_of(change));
  JobEvent event = story.event(std::move(change));
  event.journal_position = 99;
  const Status status = apply(story.job, event);
  ASSERT_FALSE(status.has_value()) << kind;
  EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(status.error().message, HasSubstr(std::string(why))) << kind;
  EXPECT_EQ(to_json(story.job), before) << kind;
}

TEST(Apply, AnIllegalEventIsRefusedAndChangesNothing) {
  const JobStory fresh;
  expect_refused(fresh, Submitted{}, "exists");
  expect_refused(fresh, StagingStarted{}, "not been launched");
  expect_refused(fresh, ChannelsStaged{}, "not been launched");
  expect_refused(fresh, TrainingStarted{}, "not been launched");
  expect_refused(fresh, InstanceExited{"algo-1", {}}, "not been launched");
  expect_refused(fresh, UploadingStarted{}, "not been launched");
  expect_refused(fresh, ArtifactsStored{}, "not been launched");
  expect_refused(fresh, UsageReported{}, "not been launched");
  expect_refused(fresh, MetricsReported{}, "not been launched");
  expect_refused(fresh, Updated{"{}"}, "");  // the story's request is no JSON
  expect_refused(fresh, Launching{}, "at least one instance");
  expect_refused(fresh, Launching{{{"algo-1", 7}}}, "in no group");
  expect_refused(fresh, Launching{{{"algo-1", 0}, {"algo-1", 1}}}, "two hosts of one name");
  expect_refused(fresh, Ended{}, "only Uploading leads to Completed");
  expect_refused(fresh, kUserStopped, "nobody asked");
  expect_refused(fresh, Ended{JobStatus::kFailed, kCompleted, ""}, "no job ends as");
  expect_refused(fresh, Ended{JobStatus::kInProgress, kTraining, ""}, "no job ends as");
  expect_refused(fresh, Deleted{}, "has ended can be deleted");
}

TEST(Apply, ARunningJobRefusesWhatCannotHappenTwiceOrTooEarly) {
  JobStory training;
  training.training();
  expect_refused(training, Launching{place_instances(training.job.spec)}, "does not wait");
  expect_refused(training, PendingReasonChanged{"x"}, "does not wait");
  expect_refused(training, StagingStarted{}, "only while it is Starting");
  expect_refused(training, ChannelsStaged{}, "only while it is Downloading");
  expect_refused(training, TrainingStarted{}, "only after");
  expect_refused(training, InstanceExited{"algo-9", {}}, "no host algo-9");
  expect_refused(training, UploadingStarted{}, "still runs");
  expect_refused(training, ArtifactsStored{}, "only while it is Uploading");
  expect_refused(uploading(), InstanceExited{"algo-1", {}}, "every instance has ended");
  expect_refused(uploading(), UploadingStarted{}, "Uploading already");
  training.exits("algo-1", {});
  expect_refused(training, InstanceExited{"algo-1", {}}, "ended already");
}

TEST(Apply, ResultsOfAFailedUploadAreStoredOnceAfterTheEnd) {
  JobStory story = uploading();
  story.then(Ended{JobStatus::kFailed, kFailed, "Artifact upload failed"});
  story.then(ArtifactsStored{{.model_uri = "s3://b/model.tar.gz"}});
  EXPECT_EQ(story.job.artifacts.model_uri, "s3://b/model.tar.gz");
  expect_refused(story, ArtifactsStored{{.model_uri = "s3://b/other"}}, "has ended");
}

TEST(Apply, AnEndedJobTakesOnlyNoticesAndItsDeletion) {
  JobStory story = uploading();
  story.then(Ended{});
  for (const JobChange& change : std::vector<JobChange>{
           Launching{place_instances(story.job.spec)}, StatusMessageChanged{"x"}, StagingStarted{},
           TrainingStarted{}, StopRequested{}, UploadingStarted{}, ArtifactsStored{},
           UsageReported{}, Ended{}, PendingReasonChanged{"x"}, MetricsReported{}, Updated{"{}"}})
    expect_refused(story, change, "");
  story.then(Noticed{"late"}).then(Deleted{});
  EXPECT_TRUE(story.job.deleted);
  expect_refused(story, Noticed{"later"}, "deleted");
}

TEST(Apply, ARequestThatComesAfterTheEndIsRefusedAsTheServiceWordsIt) {
  JobStory story = uploading();
  story.then(Ended{});
  const std::string words =
      "The request was rejected because the training job is in status Completed.";
  EXPECT_EQ(story.tell(StopRequested{}).error().message, words);
  EXPECT_EQ(story.tell(Updated{R"({"RemoteDebugConfig":{}})"}).error().message, words);
}

TEST(Apply, TagsChangeAtAnyTimeAndAreNoNewsOfTheJob) {
  JobStory story = uploading();
  story.then(TagsChanged{{{"a", "1"}, {"b", "2"}}, {}}).then(Ended{});
  const WallTime modified = story.job.last_modified;
  story.then(TagsChanged{{{"b", "3"}, {"c", ""}}, {"a", "never there"}});
  EXPECT_EQ(story.job.spec.tags, (std::map<std::string, std::string>{{"b", "3"}, {"c", ""}}));
  EXPECT_EQ(story.job.last_modified, modified);
  story.then(TagsChanged{{{"b", "4"}}, {"b"}});
  EXPECT_EQ(story.job.spec.tags.at("b"), "4");
}

TEST(Apply, MoreTagsThanTheServiceAllowsAreRefusedAsAWhole) {
  JobStory story;
  TagsChanged many;
  for (std::size_t i = 0; i < kMostTags; ++i) many.set["key" + std::to_string(i)] = "v";
  story.then(many);
  const Status status = story.tell(TagsChanged{{{"one", ""}, {"key0", "new"}}, {}});
  EXPECT_EQ(status.error().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(story.job.spec.tags.at("key0"), "v");
  story.then(TagsChanged{{{"one", ""}}, {"key0"}});
  EXPECT_EQ(story.job.spec.tags.size(), kMostTags);
}

TEST(Apply, AnUpdateReplacesMembersOfTheRequestAndThoseOfResourcesOneByOne) {
  JobStory story;
  story.job.spec.request_json =
      R"({"A":1,"ResourceConfig":{"InstanceCount":2,"KeepAlivePeriodInSeconds":1},"P":{"x":1}})";
  story.then(Updated{R"({"ResourceConfig":{"KeepAlivePeriodInSeconds":60},"P":{"y":2},"R":{}})"});
  EXPECT_EQ(story.job.spec.request_json,
            R"({"A":1,"ResourceConfig":{"InstanceCount":2,"KeepAlivePeriodInSeconds":60},)"
            R"("P":{"y":2},"R":{}})");
  EXPECT_FALSE(story.tell(Updated{"["}).has_value());
}

TEST(Apply, TheLastValuesOfMetricsAreKeptUpToALimit) {
  JobStory story = uploading();
  const MetricValue loss{"train:loss", 0.25, from_millis(5)};
  story.then(MetricsReported{{loss}});
  EXPECT_THAT(story.job.final_metrics, ElementsAre(loss));
  MetricsReported many;
  many.metrics.resize(kMostFinalMetrics + 1);
  EXPECT_FALSE(story.tell(many).has_value());
  const MetricValue none{"x", std::numeric_limits<double>::infinity(), {}};
  EXPECT_FALSE(story.tell(MetricsReported{{none}}).has_value());
}

TEST(Apply, OnlyASubmissionCreatesAJob) {
  EXPECT_EQ(create({"x", {}, 0, Launching{}}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(create({"x", {}, 0, Submitted{}}).error().code, ErrorCode::kInvalidArgument);
}

TEST(PlaceInstances, FollowsTheOrderOfGroups) {
  const JobStory story({{"a", 1}, {"b", 10}});
  const auto placed = place_instances(story.job.spec);
  ASSERT_EQ(placed.size(), 11u);
  EXPECT_EQ(placed[0], (InstancePlacement{"algo-1", 0}));
  EXPECT_EQ(placed[1], (InstancePlacement{"algo-2", 1}));
  EXPECT_EQ(placed[10], (InstancePlacement{"algo-11", 1}));
}

TEST(PlaceInstances, DealsHostsAtRandomButRepeatablyWhenAsked) {
  JobSpec spec = JobStory({{"a", 5}, {"b", 5}}).job.spec;
  const auto in_order = place_instances(spec);
  bool differs = false;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    spec.shuffle_hosts_seed = seed;
    const auto dealt = place_instances(spec);
    EXPECT_EQ(dealt, place_instances(spec));
    differs = differs || dealt != in_order;
    int of_group_a = 0;
    for (std::size_t i = 0; i < dealt.size(); ++i) {
      EXPECT_EQ(dealt[i].host, in_order[i].host);
      of_group_a += dealt[i].group == 0 ? 1 : 0;
    }
    EXPECT_EQ(of_group_a, 5);
  }
  EXPECT_TRUE(differs);
}

}  // namespace
}  // namespace evener::jobs
