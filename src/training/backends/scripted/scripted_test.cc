#include "training/backends/scripted/scripted.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/check.h"

namespace evener::backends {
namespace {

using namespace std::chrono_literals;
using jobs::JobStatus;
using testing::ElementsAre;

class ScriptedTest : public testing::Test {
 protected:
  void start(std::map<std::string, std::string> script) {
    jobs::JobSpec spec{.name = "j", .hyperparameters = std::move(script)};
    spec.groups.push_back({.name = "g", .instance_type = "t", .count = 2});
    spec.stop_grace = 10s;
    job_ = jobs::create({"j", clock_.wall_now(), 0, jobs::Submitted{spec, "arn"}}).value();
    take({"j", clock_.wall_now(), 0, jobs::Launching{place_instances(job_.spec)}});
    ASSERT_TRUE(backend_->start(job_));
    backend_->advance();
  }
  void take(const jobs::JobEvent& event) {
    const Status status = jobs::apply(job_, event);
    CHECK(status.has_value(), "the script keeps the rules");
    kinds_.emplace_back(kind_of(event.change));
  }
  void pass(std::chrono::milliseconds time) {
    clock_.advance(time);
    backend_->advance();
  }

  FakeClock clock_{from_millis(1'000'000)};
  jobs::TrainingJob job_;
  std::vector<std::string> kinds_;
  std::unique_ptr<ScriptedBackend> backend_ =
      make_scripted_backend(clock_, [this](const jobs::JobEvent& event) { take(event); });
};

TEST_F(ScriptedTest, RunsAsLongAsTheScriptSays) {
  start({{"script_run_for_ms", "1000"}});
  pass(999ms);
  EXPECT_EQ(job_.secondary, jobs::SecondaryStatus::kTraining);
  pass(1ms);
  EXPECT_EQ(job_.status, JobStatus::kCompleted);
  EXPECT_FALSE(backend_->next_due());
}

TEST_F(ScriptedTest, FailsOnTheHostThatTheScriptNames) {
  start({{"script_exit_code", "3"}, {"script_fail_host", "algo-2"}});
  EXPECT_EQ(job_.status, JobStatus::kFailed);
  EXPECT_EQ(job_.instances[1].exit->exit_code, 3);
}

TEST_F(ScriptedTest, IgnoresSigtermUntilTheGraceIsOver) {
  start({{"script_run_for_ms", "60000"}, {"script_ignore_sigterm", "1"}});
  backend_->stop("j", StopMode::kGraceful);
  pass(9s);
  EXPECT_EQ(job_.status, JobStatus::kStopping);
  pass(1s);
  EXPECT_EQ(job_.status, JobStatus::kStopped);
  EXPECT_EQ(job_.instances[0].exit->signal, 9);
}

TEST_F(ScriptedTest, StopsAtOnceWithoutGrace) {
  start({{"script_run_for_ms", "60000"}, {"script_ignore_sigterm", "1"}});
  backend_->stop("j", StopMode::kAtOnce);
  pass(0ms);
  EXPECT_EQ(job_.status, JobStatus::kStopped);
}

TEST_F(ScriptedTest, AStartErrorRefusesTheJob) {
  job_.spec.hyperparameters = {{"script_start_error", "no image"}};
  EXPECT_EQ(backend_->start(job_).error().message, "no image");
  job_.spec.hyperparameters = {{"script_run_for_ms", "soon"}};
  EXPECT_EQ(backend_->start(job_).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(ScriptedTest, AVanishedSupervisorIsAFailureOfOurs) {
  start({{"script_run_for_ms", "60000"}, {"script_crash_after_ms", "100"}});
  pass(100ms);
  EXPECT_EQ(job_.status, JobStatus::kFailed);
  EXPECT_EQ(job_.failure_reason, "InternalServerError: the job's supervisor vanished.");
}

TEST_F(ScriptedTest, AdoptionPostsWhatAnEngineMissedAndNothingTwice) {
  start({{"script_run_for_ms", "1000"}});
  backend_->reconnect([this](const jobs::JobEvent& event) { take(event); });
  kinds_.clear();
  pass(1s);
  EXPECT_TRUE(kinds_.empty());
  ASSERT_TRUE(backend_->adopt(job_));
  EXPECT_THAT(kinds_, ElementsAre("InstanceExited", "InstanceExited", "UploadingStarted",
                                  "ArtifactsStored", "UsageReported", "Ended"));
}

TEST_F(ScriptedTest, AJobThatWasNeverStartedIsNotFound) {
  EXPECT_EQ(backend_->adopt(job_).error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace evener::backends
