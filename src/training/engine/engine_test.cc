#include "training/engine/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <thread>

namespace evener::engine {
namespace {

using namespace std::chrono_literals;
using jobs::JobEvent;
using jobs::JobStatus;
using jobs::TrainingJob;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// A store in memory that can be told to refuse.
class MemoryStore final : public store::Store {
 public:
  Result<std::vector<Status>> commit(std::span<const JobEvent> events) override {
    ++commits;
    if (full) return failure(ErrorCode::kNoSpace, "the disk is full");
    std::vector<Status> answers;
    for (const JobEvent& event : events) answers.push_back(take(event));
    return answers;
  }
  Result<TrainingJob> find(const std::string& name) override {
    if (!jobs.contains(name)) return failure(ErrorCode::kNotFound, name);
    return jobs.at(name);
  }
  Result<std::vector<TrainingJob>> list(const store::ListFilter&) override { return active(); }
  Result<jobs::JobPage> page(const jobs::JobQuery&) override { return jobs::JobPage{}; }
  Result<std::vector<TrainingJob>> active() override {
    std::vector<TrainingJob> all;
    for (const auto& [name, job] : jobs)
      if (!job.ended()) all.push_back(job);
    return all;
  }
  Result<std::vector<store::StoredEvent>> events_after(std::int64_t row, std::size_t limit) override {
    std::vector<store::StoredEvent> found;
    for (const auto& event : rows)
      if (event.row > row && found.size() < limit) found.push_back(event);
    return found;
  }
  Result<std::vector<store::StoredEvent>> events_of(const std::string&, std::int64_t,
                                                    std::size_t) override {
    return rows;
  }
  Result<std::int64_t> last_row() override { return static_cast<std::int64_t>(rows.size()); }

  Status take(const JobEvent& event) {
    if (std::holds_alternative<jobs::Submitted>(event.change)) {
      jobs[event.job] = jobs::create(event).value();
    } else if (!jobs.contains(event.job)) {
      return failure(ErrorCode::kNotFound, event.job);
    } else if (Status status = jobs::apply(jobs.at(event.job), event); !status) {
      return status;
    }
    rows.push_back({static_cast<std::int64_t>(rows.size()) + 1, event});
    return ok();
  }

  std::map<std::string, TrainingJob> jobs;
  std::vector<store::StoredEvent> rows;
  bool full = false;
  int commits = 0;
};

// Notes what it is told and does nothing.
class NotingBackend final : public backends::Backend {
 public:
  explicit NotingBackend(std::vector<std::string>& notes, Status start = ok())
      : notes_(notes), start_(std::move(start)) {}
  Status start(const TrainingJob& job) override {
    notes_.push_back("start " + job.spec.name);
    return start_;
  }
  Status adopt(const TrainingJob& job) override {
    notes_.push_back("adopt " + job.spec.name);
    return ok();
  }
  void stop(const std::string& job, backends::StopMode mode) override {
    notes_.push_back("stop " + job + (mode == backends::StopMode::kAtOnce ? " at once" : ""));
  }
  Status release(const TrainingJob& job) override {
    notes_.push_back("release " + job.spec.name + (job.ended() ? "" : " too early"));
    return ok();
  }

 private:
  std::vector<std::string>& notes_;
  Status start_;
};

class EngineTest : public testing::Test {
 protected:
  void make(Status start = ok()) {
    auto made = make_engine(
        {.cluster = {.cpus = 8, .memory_gib = 64, .max_running_jobs = 1},
         .observer = [this](const auto& event, const auto&) {
           seen_.emplace_back(kind_of(event.change));
         }},
        store_, clock_, [&](backends::EventSink) {
          return Result<std::unique_ptr<backends::Backend>>(
              std::make_unique<NotingBackend>(notes_, std::move(start)));
        });
    ASSERT_TRUE(made.has_value());
    engine_ = std::move(*made);
  }
  JobEvent event(const std::string& job, jobs::JobChange change, std::uint64_t position = 0) {
    return {job, clock_.wall_now(), position, std::move(change)};
  }
  JobEvent submission(const std::string& job, int vcpus = 1) {
    jobs::JobSpec spec{.name = job};
    spec.groups.push_back({.name = "g", .instance_type = "t", .shape = {.vcpus = vcpus}});
    spec.fit = jobs::Fit::kStrict;
    return event(job, jobs::Submitted{std::move(spec), ""});
  }
  void post(std::vector<JobEvent> events) {
    for (JobEvent& one : events) engine_->post(std::move(one));
    (void)engine_->step(0ms);
  }

  MemoryStore store_;
  FakeClock clock_{from_millis(1'000'000)};
  std::vector<std::string> notes_;
  std::vector<std::string> seen_;
  std::unique_ptr<Engine> engine_;
};

TEST_F(EngineTest, TakesAJobFromSubmissionToItsEndInOrder) {
  make();
  post({submission("a")});
  EXPECT_THAT(notes_, ElementsAre("start a"));
  post({event("a", jobs::TrainingStarted{}, 1), event("a", jobs::InstanceExited{"algo-1", {}}, 2),
        event("a", jobs::UploadingStarted{}, 3), event("a", jobs::Ended{}, 4)});
  EXPECT_THAT(notes_, ElementsAre("start a", "release a"));
  EXPECT_THAT(seen_, ElementsAre("Submitted", "Launching", "TrainingStarted", "InstanceExited",
                                 "UploadingStarted", "Ended"));
  EXPECT_EQ(engine_->active_jobs(), 0u);
}

TEST_F(EngineTest, SeesWhatOtherProcessesCommit) {
  make();
  ASSERT_TRUE(store_.take(submission("a")));
  EXPECT_TRUE(engine_->step(0ms).value());
  ASSERT_TRUE(store_.take(event("a", jobs::StopRequested{.at_once = true})));
  EXPECT_TRUE(engine_->step(0ms).value());
  EXPECT_THAT(notes_, ElementsAre("start a", "stop a at once"));
  EXPECT_FALSE(engine_->step(0ms).value());
}

TEST_F(EngineTest, AJobThatWaitsSaysWhyAndStopsWithoutABackend) {
  make();
  post({submission("a"), submission("b")});
  EXPECT_THAT(store_.jobs.at("b").pending_reason, HasSubstr("held by job a"));
  post({event("b", jobs::StopRequested{})});
  EXPECT_EQ(store_.jobs.at("b").status, JobStatus::kStopped);
  EXPECT_THAT(notes_, ElementsAre("start a"));
}

TEST_F(EngineTest, AStopThatTheSupervisorJournaledIsNotPassedBack) {
  make();
  post({submission("a"), event("a", jobs::StopRequested{jobs::StopCause::kMaxRuntime}, 1)});
  EXPECT_EQ(std::ranges::count(notes_, "stop a"), 0);
}

TEST_F(EngineTest, AJobThatCanNeverFitIsRefusedInWords) {
  make();
  post({submission("big", 9)});
  EXPECT_THAT(store_.jobs.at("big").failure_reason, StartsWith("ClientError: ResourceLimitExceeded"));
}

TEST_F(EngineTest, ALongQueueIsTakenInOrderAndOnlyItsBeginningIsLookedAt) {
  make();
  constexpr int kJobs = 3 * static_cast<int>(scheduling::kWindowJobs);
  std::vector<JobEvent> all;
  for (int i = 0; i < kJobs; ++i) all.push_back(submission("j" + std::to_string(i)));
  all.push_back(submission("big", 9));
  post(std::move(all));
  EXPECT_THAT(store_.jobs.at("big").failure_reason, StartsWith("ClientError: ResourceLimitExceeded"));
  const std::string last = "j" + std::to_string(kJobs - 1);
  EXPECT_EQ(store_.jobs.at(last).pending_reason, "");
  const auto reasons = [&] { return std::ranges::count(seen_, "PendingReasonChanged"); };
  EXPECT_EQ(reasons(), static_cast<std::ptrdiff_t>(scheduling::kWindowJobs));
  post({submission("one-more")});
  EXPECT_EQ(reasons(), static_cast<std::ptrdiff_t>(scheduling::kWindowJobs));
  post({event("j1", jobs::StopRequested{})});
  EXPECT_EQ(store_.jobs.at("j1").status, JobStatus::kStopped);
  for (const char* running : {"j0", "j2", "j3"})
    post({event(running, jobs::TrainingStarted{}, 1),
          event(running, jobs::InstanceExited{"algo-1", {}}, 2),
          event(running, jobs::UploadingStarted{}, 3), event(running, jobs::Ended{}, 4)});
  EXPECT_THAT(notes_, ElementsAre("start j0", "release j0", "start j2", "release j2", "start j3",
                                  "release j3", "start j4"));
}

TEST_F(EngineTest, AJobThatCannotBeHandedOverFails) {
  make(failure(ErrorCode::kUnavailable, "no supervisor"));
  post({submission("a")});
  EXPECT_EQ(store_.jobs.at("a").failure_reason, "InternalServerError: no supervisor");
}

TEST_F(EngineTest, AJobWhoseEndIsRefusedEndsAllTheSame) {
  make();
  post({submission("a")});
  post({event("a", jobs::Ended{}, 1)});  // Completed without Uploading
  EXPECT_EQ(store_.jobs.at("a").status, JobStatus::kFailed);
  EXPECT_EQ(engine_->active_jobs(), 0u);
}

TEST_F(EngineTest, AFullDiskLosesNothingAndIsNotHammered) {
  make();
  store_.full = true;
  post({submission("a")});
  for (int i = 0; i < 100; ++i) post({submission("j" + std::to_string(i))});
  EXPECT_EQ(store_.commits, 1) << "time stands still, so nothing is tried again";
  EXPECT_TRUE(seen_.empty()) << "seen before it is durable";
  clock_.advance(10s);
  EXPECT_FALSE(engine_->step(0ms).has_value());
  EXPECT_EQ(store_.commits, 2);
  store_.full = false;
  clock_.advance(10s);
  ASSERT_TRUE(engine_->step(0ms).has_value());
  EXPECT_EQ(store_.jobs.size(), 101u);
  EXPECT_EQ(store_.rows[0].event.job, "a");
  EXPECT_EQ(store_.rows[100].event.job, "j99");
}

TEST_F(EngineTest, ANewEngineAdoptsWhatRunsAndDecidesWhatWaits) {
  make();
  post({submission("a"), submission("b")});
  post({event("a", jobs::StopRequested{})});
  engine_.reset();
  notes_.clear();
  make();
  EXPECT_THAT(notes_, ElementsAre("adopt a", "stop a"));
  post({event("a", jobs::Ended{JobStatus::kStopped, jobs::SecondaryStatus::kStopped, ""}, 1)});
  EXPECT_THAT(notes_, ElementsAre("adopt a", "stop a", "release a", "start b"));
}

TEST_F(EngineTest, RunEndsWhenAskedThoughNothingHappens) {
  make();
  std::jthread engine([this](std::stop_token stop) { engine_->run(std::move(stop)); });
  engine_->wake();
  engine.request_stop();
  engine.join();
}

TEST_F(EngineTest, TakesPostsOfManyThreadsAndKeepsTheOrderOfEach) {
  make();
  std::jthread engine([this](std::stop_token stop) { engine_->run(std::move(stop)); });
  {
    std::vector<std::jthread> posters;
    for (int t = 0; t < 4; ++t)
      posters.emplace_back([this, t] {
        const std::string name = "t" + std::to_string(t);
        engine_->post(submission(name));
        for (int i = 0; i < 200; ++i) engine_->post(event(name, jobs::Noticed{std::to_string(i)}));
      });
  }
  engine_->wake();
  engine.request_stop();
  engine.join();
  while (engine_->step(0ms).value()) {
  }
  for (int t = 0; t < 4; ++t) {
    const auto& notices = store_.jobs.at("t" + std::to_string(t)).notices;
    ASSERT_EQ(notices.size(), 200u);
    for (int i = 0; i < 200; ++i) EXPECT_EQ(notices[static_cast<std::size_t>(i)], std::to_string(i));
  }
}

}  // namespace
}  // namespace evener::engine
