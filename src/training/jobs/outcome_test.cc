#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "training/jobs/job_story_test.h"
#include "training/jobs/jobs.h"

namespace evener::jobs {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

InstanceExit stopped(int code = 143) { return {.exit_code = code, .stopped_by_us = true}; }

JobStory with_auxiliary() {
  JobStory story({{"data_group", 1, true}, {"dnn_group", 2}});
  story.training();
  return story;
}

TEST(DecideEnding, WaitsWhileAllIsWell) {
  JobStory story;
  story.training();
  EXPECT_EQ(decide_ending(story.job), EndingDecision::kKeepRunning);
  story.exits("algo-1", {});
  EXPECT_EQ(decide_ending(story.job), EndingDecision::kKeepRunning);
  story.exits("algo-2", {}).exits("algo-3", {});
  EXPECT_EQ(decide_ending(story.job), EndingDecision::kCollect);
}

TEST(DecideEnding, TheFirstFailureStopsTheRest) {
  JobStory story;
  story.training().exits("algo-2", {.exit_code = 1});
  EXPECT_EQ(decide_ending(story.job), EndingDecision::kStopRest);
  story.exits("algo-1", stopped());
  EXPECT_EQ(decide_ending(story.job), EndingDecision::kStopRest);
}

TEST(DecideEnding, AProgramThatCannotBeStartedIsAFailure) {
  JobStory story;
  story.training().exits("algo-1", {.start_error = "no such file"});
  EXPECT_EQ(decide_ending(story.job), EndingDecision::kStopRest);
}

TEST(DecideEnding, AuxiliaryGroupsAreStoppedOnceThePrimaryGroupsHaveEnded) {
  JobStory story = with_auxiliary();
  story.exits("algo-2", {});
  EXPECT_EQ(decide_ending(story.job), EndingDecision::kKeepRunning);
  story.exits("algo-3", {});
  EXPECT_EQ(decide_ending(story.job), EndingDecision::kStopRest);
}

TEST(DecideEnding, AJobOfAuxiliaryGroupsOnlyWaitsForAll) {
  JobStory story({{"a", 1, true}, {"b", 1, true}});
  story.training().exits("algo-1", {});
  EXPECT_EQ(decide_ending(story.job), EndingDecision::kKeepRunning);
}

TEST(DecideEnding, AStopStopsTheRest) {
  JobStory story;
  story.training().then(StopRequested{});
  EXPECT_EQ(decide_ending(story.job), EndingDecision::kStopRest);
}

TEST(DecideOutcome, AllZeroIsCompleted) {
  JobStory story;
  story.training().exits("algo-1", {}).exits("algo-2", {}).exits("algo-3", {});
  EXPECT_EQ(decide_outcome(story.job).status, JobStatus::kCompleted);
}

TEST(DecideOutcome, TheSigtermExitOfAnAuxiliaryGroupIsSuccess) {
  JobStory story = with_auxiliary();
  story.exits("algo-2", {}).exits("algo-3", {}).exits("algo-1", stopped());
  EXPECT_EQ(decide_outcome(story.job).status, JobStatus::kCompleted);
}

TEST(DecideOutcome, AnAuxiliaryHostThatBreaksAfterThePrimariesSucceededIsSuccess) {
  JobStory story = with_auxiliary();
  story.exits("algo-2", {}).exits("algo-3", {}).exits("algo-1", {.exit_code = 1});
  EXPECT_EQ(decide_outcome(story.job).status, JobStatus::kCompleted);
}

TEST(DecideOutcome, AnAuxiliaryHostThatBreaksBeforeIsAFailure) {
  JobStory story = with_auxiliary();
  story.exits("algo-2", {}).exits("algo-1", {.exit_code = 3}).exits("algo-3", stopped());
  EXPECT_THAT(decide_outcome(story.job).failure_reason,
              HasSubstr("Exit Code: 3 on host algo-1"));
}

TEST(DecideOutcome, TheFirstFailureByTimeIsNamed) {
  JobStory story;
  story.training();
  story.exits("algo-3", {.exit_code = 1, .failure_text = "loss is NaN"});
  story.exits("algo-1", {.exit_code = 2, .failure_text = "peer lost"});
  story.exits("algo-2", stopped(137));
  const Ended ended = decide_outcome(story.job);
  EXPECT_EQ(ended.status, JobStatus::kFailed);
  EXPECT_EQ(ended.secondary, SecondaryStatus::kFailed);
  EXPECT_EQ(ended.failure_reason,
            "AlgorithmError: loss is NaN, exit code: 1 on host algo-3 of group dnn_group");
}

TEST(DecideOutcome, ASignalIsNamedWhereThereIsNoFailureText) {
  JobStory story;
  story.training().exits("algo-1", {.exit_code = 139, .signal = 11});
  EXPECT_EQ(decide_outcome(story.job).failure_reason,
            "AlgorithmError: Exit Code: 139 (signal 11) on host algo-1 of group data_group");
}

TEST(DecideOutcome, OutOfMemorySaysSoAndWhatToDo) {
  JobStory story;
  story.training().exits("algo-1", {.exit_code = 137, .signal = 9, .out_of_memory = true});
  EXPECT_THAT(decide_outcome(story.job).failure_reason,
              AllOf(StartsWith("ClientError: out of memory: host algo-1"), HasSubstr("8 GiB"),
                    HasSubstr("instance type with more memory")));
}

TEST(DecideOutcome, AStartErrorIsNamed) {
  JobStory story;
  story.training().exits("algo-1", {.exit_code = 127, .start_error = "train: not found"});
  EXPECT_THAT(decide_outcome(story.job).failure_reason,
              HasSubstr("could not be started: train: not found, exit code: 127 on host algo-1"));
}

TEST(DecideOutcome, ALongFailureTextLeavesRoomForThePlace) {
  JobStory story;
  story.training().exits("algo-1", {.exit_code = 1, .failure_text = std::string(1022, 'x') + "é"});
  const std::string reason = decide_outcome(story.job).failure_reason;
  EXPECT_EQ(reason.size(), 1024u);
  EXPECT_TRUE(reason.ends_with("xx, exit code: 1 on host algo-1 of group data_group"));
}

TEST(DecideOutcome, AFailureTextIsShownWithoutControlCharacters) {
  JobStory story;
  const std::string written("one\r\n\ttwo\x1b[31m \x07\n\0\0\0", 20);
  story.training().exits("algo-1", {.exit_code = 1, .failure_text = written});
  EXPECT_THAT(decide_outcome(story.job).failure_reason,
              StartsWith("AlgorithmError: one\n\ttwo [31m, exit code: 1"));
  JobStory zeros;
  zeros.training().exits("algo-1", {.exit_code = 1, .failure_text = std::string(1024, '\0')});
  EXPECT_THAT(decide_outcome(zeros.job).failure_reason, StartsWith("AlgorithmError: Exit Code: 1"));
}

TEST(DecideOutcome, AUserStopIsStoppedWhateverTheHostsSayOnTheirWayOut) {
  JobStory story;
  story.training().then(StopRequested{}).exits("algo-1", stopped());
  story.exits("algo-2", {.exit_code = 1}).exits("algo-3", {});
  const Ended ended = decide_outcome(story.job);
  EXPECT_EQ(ended.status, JobStatus::kStopped);
  EXPECT_EQ(ended.secondary, SecondaryStatus::kStopped);
}

TEST(DecideOutcome, AFailureBeforeTheStopStaysAFailure) {
  JobStory story;
  story.training().exits("algo-1", {.exit_code = 5}).then(StopRequested{});
  story.exits("algo-2", stopped()).exits("algo-3", stopped());
  EXPECT_EQ(decide_outcome(story.job).status, JobStatus::kFailed);
}

TEST(DecideOutcome, TheMaximumRuntimeIsStopped) {
  JobStory story;
  story.training().then(StopRequested{.cause = StopCause::kMaxRuntime});
  story.exits("algo-1", stopped()).exits("algo-2", stopped()).exits("algo-3", stopped());
  EXPECT_EQ(decide_outcome(story.job).status, JobStatus::kStopped);
  EXPECT_EQ(decide_outcome(story.job).secondary, SecondaryStatus::kMaxRuntimeExceeded);
}

TEST(DecideOutcome, ALostEngineIsAFailureOfOurs) {
  JobStory story;
  story.training().then(StopRequested{.cause = StopCause::kEngineLost});
  story.exits("algo-1", stopped()).exits("algo-2", stopped()).exits("algo-3", stopped());
  EXPECT_THAT(decide_outcome(story.job).failure_reason, StartsWith("InternalServerError: "));
}

TEST(DecideOutcome, WhatSucceededBeforeTheEngineWasLostIsCompleted) {
  JobStory story;
  story.training().exits("algo-1", {}).exits("algo-2", {}).exits("algo-3", {});
  story.then(UploadingStarted{}).then(StopRequested{.cause = StopCause::kEngineLost});
  EXPECT_EQ(decide_outcome(story.job).status, JobStatus::kCompleted);
}

TEST(DecideOutcome, AJobThatNeverHadInstances) {
  JobStory story;
  EXPECT_EQ(decide_outcome(story.job).status, JobStatus::kFailed);
  story.then(StopRequested{});
  EXPECT_EQ(decide_outcome(story.job).status, JobStatus::kStopped);
}

TEST(DecideOutcome, AHostWithoutAnExitIsNamed) {
  JobStory story;
  story.training().exits("algo-1", {});
  EXPECT_THAT(decide_outcome(story.job).failure_reason,
              StartsWith("InternalServerError: host algo-2"));
}

TEST(PhaseSeconds, AddsUpOverTheTransitions) {
  JobStory story;  // one second between events
  story.then(PendingReasonChanged{"x"}).training();
  story.exits("algo-1", {}).exits("algo-2", {}).exits("algo-3", {}).then(UploadingStarted{});
  story.then(Ended{});
  const PhaseSeconds phases = phase_seconds(story.job, from_millis(0));
  EXPECT_DOUBLE_EQ(phases.pending, 1);
  EXPECT_DOUBLE_EQ(phases.starting, 2);
  EXPECT_DOUBLE_EQ(phases.downloading, 2);
  EXPECT_DOUBLE_EQ(phases.training, 4);
  EXPECT_DOUBLE_EQ(phases.uploading, 1);
  EXPECT_DOUBLE_EQ(phases.stopping, 0);
  EXPECT_DOUBLE_EQ(phases.total, 10);
}

TEST(PhaseSeconds, NowClosesAPhaseThatStillRuns) {
  JobStory story;
  story.training();
  const PhaseSeconds phases = phase_seconds(story.job, from_millis(story.now_ms + 2500));
  EXPECT_DOUBLE_EQ(phases.training, 2.5);
  EXPECT_DOUBLE_EQ(phase_seconds(story.job, from_millis(0)).training, 0);
}

TEST(BillableSeconds, AreWholeAndAtLeastOne) {
  JobStory story;
  EXPECT_FALSE(billable_seconds(story.job));
  story.job.training_start = from_millis(1000);
  story.job.training_end = from_millis(1000);
  EXPECT_EQ(billable_seconds(story.job), 1);
  story.job.training_end = from_millis(3001);
  EXPECT_EQ(billable_seconds(story.job), 3);
}

}  // namespace
}  // namespace evener::jobs
