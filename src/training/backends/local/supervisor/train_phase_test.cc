#include "training/backends/local/supervisor/train_phase.h"

#include <gtest/gtest.h>

#include <fstream>

#include "os/temporary_folder_test.h"
#include "training/backends/local/supervisor/fake_sandbox_test.h"
#include "training/jobs/job_sample_test.h"

namespace evener::backends {
namespace {

using std::chrono::seconds;
using Asked = std::vector<std::string>;

// A job of two hosts of data_group and one of dnn_group that trains.
class Training : public ::testing::Test {
 protected:
  Training() {
    spec_.stop_grace = seconds(120);
  }
  TrainPhase& begin() {
    journal_ = std::move(*JournalWriter::open(*files_, "/journal"));
    recorder_ = std::make_unique<Recorder>(jobs::launched(spec_, clock_.wall_now()), *journal_, clock_);
    recorder_->record(jobs::TrainingStarted{});
    phase_ = std::make_unique<TrainPhase>(*recorder_, instances_, sampler_, clock_,
                                          [this](const std::string&) { return printed_; });
    return *phase_;
  }
  // What the loop does with events, without waiting.
  void deliver() {
    while (!phase_->done()) {
      auto event = instances_.next_event(std::chrono::milliseconds(0));
      if (!*event) return;
      phase_->host_event(**event);
    }
  }
  const jobs::InstanceExit& exit_of(std::size_t index) {
    return *recorder_->job().instances.at(index).exit;
  }

  jobs::JobSpec spec_ = jobs::sample_spec("demo", {{"data_group", 2}, {"dnn_group", 1}});
  os::TemporaryFolder folder_;
  FakeClock clock_{from_millis(1'700'000'000'000)};
  std::unique_ptr<os::FileSystem> files_ = os::make_memory_file_system(clock_);
  FakeSandbox instances_{folder_.path()};
  SampleLog samples_{nullptr};
  Sampler sampler_{instances_, samples_, clock_};
  std::unique_ptr<JournalWriter> journal_;
  std::unique_ptr<Recorder> recorder_;
  std::unique_ptr<TrainPhase> phase_;
  std::string printed_;
};

TEST_F(Training, EndsWhenEveryHostHasEnded) {
  begin();
  instances_.exits("algo-1", 0);
  instances_.exits("algo-3", 0);
  deliver();
  EXPECT_FALSE(phase_->done());
  instances_.exits("algo-2", 0);
  deliver();
  EXPECT_TRUE(phase_->done());
  EXPECT_EQ(instances_.asked, Asked());
  EXPECT_FALSE(exit_of(0).stopped_by_us);
}

TEST_F(Training, TheFirstFailureStopsTheRest) {
  begin();
  std::filesystem::create_directories(folder_.path() / "algo-2/ml/output");
  std::ofstream(folder_.path() / "algo-2/ml/output/failure") << "no luck";
  instances_.exits("algo-2", 7);
  deliver();
  EXPECT_EQ(instances_.asked, (Asked{"term algo-1", "term algo-3"}));
  instances_.exits("algo-1", 143, SIGTERM);
  instances_.exits("algo-3", 0);
  deliver();
  EXPECT_TRUE(phase_->done());
  EXPECT_EQ(exit_of(1).failure_text, "no luck");
  EXPECT_FALSE(exit_of(1).stopped_by_us);
  EXPECT_TRUE(exit_of(0).stopped_by_us);
  EXPECT_EQ(jobs::decide_outcome(recorder_->job()).status, jobs::JobStatus::kFailed);
}

TEST_F(Training, AFailedScriptWithoutAFailureFileGivesItsLastWords) {
  spec_.hyperparameters["sagemaker_program"] = "train.py";
  printed_ = "ValueError: loss is NaN";
  begin();
  instances_.exits("algo-1", 1);
  instances_.exits("algo-2", 0);
  deliver();
  EXPECT_EQ(exit_of(0).failure_text,
            "ExecuteUserScriptError:\nExitCode 1\nErrorMessage \"ValueError: loss is NaN\"");
  EXPECT_EQ(exit_of(1).failure_text, "");
}

TEST_F(Training, AFailedProgramThatIsNoScriptGivesItsExitCodeOnly) {
  printed_ = "bye";
  begin();
  instances_.exits("algo-1", 1);
  deliver();
  EXPECT_EQ(exit_of(0).failure_text, "");
}

TEST_F(Training, WhoIgnoresSigtermIsKilledAfterTheGrace) {
  begin();
  phase_->stop(StopMode::kGraceful);
  EXPECT_EQ(instances_.asked, (Asked{"term algo-1", "term algo-2", "term algo-3"}));
  instances_.exits("algo-1", 0);
  deliver();
  ASSERT_TRUE(phase_->next_tick());
  EXPECT_EQ(*phase_->next_tick(), clock_.monotonic_now() + seconds(120));
  clock_.advance(seconds(119));
  phase_->tick();
  EXPECT_EQ(instances_.asked.size(), 3u);
  clock_.advance(seconds(1));
  phase_->tick();
  EXPECT_EQ(instances_.asked.size(), 5u);
  EXPECT_EQ(instances_.asked.back(), "kill algo-3");
  deliver();
  EXPECT_TRUE(phase_->done());
  EXPECT_EQ(exit_of(2).exit_code, 137);
  EXPECT_TRUE(exit_of(2).stopped_by_us);
}

TEST_F(Training, AStopAtOnceKillsWithoutGraceAlsoInTheMiddleOfOne) {
  begin();
  phase_->stop(StopMode::kGraceful);
  phase_->stop(StopMode::kGraceful);
  phase_->stop(StopMode::kAtOnce);
  EXPECT_EQ(instances_.asked, (Asked{"term algo-1", "term algo-2", "term algo-3", "kill algo-1",
                                     "kill algo-2", "kill algo-3"}));
}

TEST_F(Training, WhatIsBeingStoppedIsNotStoppedAgain) {
  begin();
  EXPECT_TRUE(phase_->stoppable());
  phase_->stop(StopMode::kGraceful);
  EXPECT_FALSE(phase_->stoppable());
}

TEST_F(Training, AuxiliaryGroupsAreStoppedOnceThePrimaryGroupsHaveEnded) {
  spec_.groups[0].auxiliary = true;
  begin();
  instances_.exits("algo-3", 0);
  deliver();
  EXPECT_EQ(instances_.asked, (Asked{"term algo-1", "term algo-2"}));
  instances_.exits("algo-1", 143, SIGTERM);
  instances_.exits("algo-2", 143, SIGTERM);
  deliver();
  ASSERT_TRUE(phase_->done());
  EXPECT_EQ(jobs::decide_outcome(recorder_->job()).status, jobs::JobStatus::kCompleted);
}

TEST_F(Training, AProgramThatCannotBeStartedSaysWhy) {
  begin();
  sandbox::HostEvent event;
  event.kind = sandbox::HostEvent::Kind::kStartFailed;
  event.host = "algo-1";
  event.text = "exec train: No such file or directory";
  phase_->host_event(event);
  EXPECT_EQ(exit_of(0).start_error, event.text);
  EXPECT_EQ(exit_of(0).exit_code, 127);
  EXPECT_EQ(instances_.asked, (Asked{"term algo-2", "term algo-3"}));
}

TEST_F(Training, ALostInstanceCountsAsKilled) {
  begin();
  sandbox::HostEvent event;
  event.kind = sandbox::HostEvent::Kind::kInstanceLost;
  event.host = "algo-1";
  phase_->host_event(event);
  EXPECT_EQ(exit_of(0).exit_code, 137);
  EXPECT_EQ(exit_of(0).failure_text, "the instance's init was killed");
  phase_->host_event(event);   // said again: known already
  EXPECT_EQ(instances_.asked.size(), 2u);
}

TEST_F(Training, AGraceOfZeroKillsAtOnce) {
  spec_.stop_grace = seconds(0);
  begin();
  phase_->stop(StopMode::kGraceful);
  EXPECT_EQ(instances_.asked, (Asked{"kill algo-1", "kill algo-2", "kill algo-3"}));
}

}  // namespace
}  // namespace evener::backends
