// Whole jobs in real instances: this program is its own supervisor (see main).
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <condition_variable>
#include <fstream>
#include <thread>

#include "base/mutex.h"
#include "os/process.h"
#include "os/socket.h"
#include "os/temporary_folder_test.h"
#include "training/backends/local/job_folder/identity.h"
#include "training/backends/local/job_folder/journal.h"
#include "training/backends/local/local.h"
#include "training/backends/local/supervisor/supervisor.h"
#include "training/jobs/job_sample_test.h"
#include "training/logs/logs.h"

namespace evener::backends {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kLongEnough{30};

// The engine's side: applies what the backend posts.
class Engine {
 public:
  explicit Engine(const fs::path& home, sandbox::Isolation isolation) {
    LocalOptions options;
    options.home = home;
    options.program = "/proc/self/exe";
    options.program = fs::read_symlink(options.program).string();
    options.isolation = isolation;
    options.host_environment = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}};
    auto backend = make_local_backend(std::move(options), *files_, clock_,
                                      [this](jobs::JobEvent event) { take(std::move(event)); });
    CHECK(backend.has_value(), "a local backend can be made");
    backend_ = std::move(*backend);
  }

  Backend& backend() { return *backend_; }
  void start(const jobs::JobSpec& spec) {
    set(jobs::launched(spec, clock_.wall_now()));
    const Status started = backend_->start(job());
    ASSERT_TRUE(started) << started.error().message;
  }
  void adopt(const jobs::TrainingJob& job) {
    set(job);
    ASSERT_TRUE(backend_->adopt(job));
  }
  jobs::TrainingJob job() {
    MutexLock lock(mutex_);
    return *job_;
  }
  // The job once `reached` holds of it; a failure of the test if that takes too long.
  jobs::TrainingJob wait(const std::function<bool(const jobs::TrainingJob&)>& reached) {
    MutexLock lock(mutex_);
    const bool in_time = changed_.wait_for(mutex_, kLongEnough, [&] { return reached(*job_); });
    EXPECT_TRUE(in_time) << jobs::to_json(*job_);
    return *job_;
  }
  jobs::TrainingJob wait_for_end() {
    return wait([](const jobs::TrainingJob& job) { return job.ended(); });
  }
  jobs::TrainingJob wait_for_training() {
    return wait([](const jobs::TrainingJob& job) {
      return job.secondary == jobs::SecondaryStatus::kTraining || job.ended();
    });
  }

 private:
  void set(jobs::TrainingJob job) {
    MutexLock lock(mutex_);
    job_ = std::move(job);
  }
  void take(jobs::JobEvent event) {
    {
      MutexLock lock(mutex_);
      const Status applied = jobs::apply(*job_, event);
      EXPECT_TRUE(applied) << applied.error().message << " " << jobs::to_json(event);
    }
    changed_.notify_all();
  }

  SystemClock clock_;
  std::unique_ptr<os::FileSystem> files_ = os::make_real_file_system();
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<jobs::TrainingJob> job_;
  std::unique_ptr<Backend> backend_;
};

class LocalJob : public ::testing::TestWithParam<sandbox::Isolation> {
 protected:
  void SetUp() override {
    if (GetParam() == sandbox::Isolation::kNamespaces &&
        sandbox::best_isolation() == sandbox::Isolation::kPlain) {
      GTEST_SKIP() << "this machine refuses namespaces";
    }
    engine_ = std::make_unique<Engine>(home_, GetParam());
  }
  void TearDown() override {
    if (!engine_ || IsSkipped()) return;
    EXPECT_TRUE(engine_->backend().release(engine_->job()));
    EXPECT_FALSE(fs::exists(folder_.instances()));
  }

  static jobs::JobSpec shell(const std::vector<std::pair<std::string, int>>& groups,
                             const std::string& script) {
    jobs::JobSpec spec = jobs::sample_spec("demo", groups);
    spec.entrypoint = {"/bin/sh", "-c", script};
    spec.stop_grace = seconds(20);
    return spec;
  }
  jobs::TrainingJob run(jobs::JobSpec spec) {
    spec.output_uri = "file://" + (root_.path() / "out").string();
    engine_->start(spec);
    return engine_->wait_for_end();
  }
  void begin(jobs::JobSpec spec) {
    spec.output_uri = "file://" + (root_.path() / "out").string();
    engine_->start(spec);
    engine_->wait_for_training();
  }
  static jobs::InstanceExit exit_of(const jobs::TrainingJob& job, std::size_t host) {
    const auto& exit = job.instances.at(host).exit;
    EXPECT_TRUE(exit) << jobs::to_json(job);
    return exit.value_or(jobs::InstanceExit{});
  }
  pid_t supervisor() {
    const auto identity = read_identity(*files_, folder_.identity());
    EXPECT_TRUE(identity && *identity);
    return (*identity)->pid;
  }
  std::string log_of(const std::string& host) {
    std::string text;
    auto reader = logs::open_log(folder_.logs(), host);
    if (!reader) return reader.error().message;
    auto lines = (*reader)->read(1000);
    if (!lines) return lines.error().message;
    for (const auto& line : *lines) text += line.text + "\n";
    return text;
  }
  // Waits until the program of `host` has printed `line`.
  void wait_for_line(const std::string& host, const std::string& line) {
    const SystemClock clock;
    const auto end = clock.monotonic_now() + kLongEnough;
    while (log_of(host).find(line + "\n") == std::string::npos) {
      ASSERT_LT(clock.monotonic_now(), end) << log_of(host);
      std::this_thread::sleep_for(milliseconds(5));
    }
  }

  os::TemporaryFolder root_;
  const fs::path home_ = root_.path() / "ho me \xC3\xA4";
  const JobFolder folder_ = job_folder(home_, "demo");
  std::unique_ptr<os::FileSystem> files_ = os::make_real_file_system();
  std::unique_ptr<Engine> engine_;
};

INSTANTIATE_TEST_SUITE_P(Isolations, LocalJob,
                         ::testing::Values(sandbox::Isolation::kNamespaces,
                                           sandbox::Isolation::kPlain),
                         [](const auto& one) {
                           return one.param == sandbox::Isolation::kPlain ? "plain" : "namespaces";
                         });

TEST_P(LocalJob, TwoGroupsRunAndTheirModelsAreStored) {
  const auto job = run(shell({{"data_group", 2}, {"dnn_group", 1}},
                             "cd \"${SAGEMAKER_BASE_DIR:-/opt/ml}\" && ls model output/data && "
                             "echo hello from $TRAINING_JOB_NAME && "
                             "echo weights > model/weights && cat input/config/resourceconfig.json"));
  EXPECT_EQ(job.status, jobs::JobStatus::kCompleted) << job.failure_reason;
  EXPECT_TRUE(fs::exists(root_.path() / "out/demo/output/model.tar.gz"));
  EXPECT_NE(log_of("algo-1").find("hello from demo"), std::string::npos) << log_of("algo-1");
  EXPECT_NE(log_of("algo-3").find("\"current_host\""), std::string::npos);
  EXPECT_EQ(job.usage.size(), 3u);
  EXPECT_FALSE(fs::exists(folder_.instances())) << "removed before the end is posted";
  EXPECT_FALSE(fs::exists(folder_.socket())) << "the folder may be deleted from now on";
}

TEST_P(LocalJob, AnExitCodeAndTheFailureFileAreTheReason) {
  const auto job = run(shell({{"a", 1}}, "cd \"${SAGEMAKER_BASE_DIR:-/opt/ml}\" && "
                                         "echo no luck > output/failure; exit 42"));
  EXPECT_EQ(job.status, jobs::JobStatus::kFailed);
  EXPECT_EQ(exit_of(job, 0).exit_code, 42);
  EXPECT_NE(job.failure_reason.find("no luck"), std::string::npos) << job.failure_reason;
}

TEST_P(LocalJob, AProgramThatIsMissingIsSaid) {
  jobs::JobSpec spec = jobs::sample_spec("demo", {{"a", 1}});
  spec.entrypoint = {"no-such-program"};
  const auto job = run(spec);
  EXPECT_EQ(job.status, jobs::JobStatus::kFailed);
  EXPECT_NE(job.failure_reason.find("no-such-program"), std::string::npos) << job.failure_reason;
}

TEST_P(LocalJob, OneHostThatFailsStopsTheRest) {
  const auto job = run(shell({{"a", 1}, {"b", 1}},
                             "grep -q 'current_group_name\": *\"b' "
                             "\"${SAGEMAKER_BASE_DIR:-/opt/ml}\"/input/config/resourceconfig.json "
                             "&& exit 3; exec sleep 600"));
  EXPECT_EQ(job.status, jobs::JobStatus::kFailed);
  EXPECT_EQ(exit_of(job, 1).exit_code, 3);
  EXPECT_TRUE(exit_of(job, 0).stopped_by_us);
  EXPECT_NE(job.failure_reason.find("algo-2"), std::string::npos) << job.failure_reason;
}

TEST_P(LocalJob, AStopReachesTheProgramAsSigterm) {
  begin(shell({{"a", 1}}, "trap 'echo goodbye; exit 0' TERM; echo ready; "
                          "while :; do sleep 0.02; done"));
  wait_for_line("algo-1", "ready");
  engine_->backend().stop("demo", StopMode::kGraceful);
  const auto job = engine_->wait_for_end();
  EXPECT_EQ(job.status, jobs::JobStatus::kStopped) << job.failure_reason;
  EXPECT_NE(log_of("algo-1").find("goodbye"), std::string::npos);
}

TEST_P(LocalJob, WhoIgnoresSigtermIsKilledAfterTheGrace) {
  jobs::JobSpec spec = shell({{"a", 1}}, "trap '' TERM; echo ready; while :; do sleep 0.02; done");
  spec.stop_grace = seconds(1);
  begin(spec);
  wait_for_line("algo-1", "ready");
  engine_->backend().stop("demo", StopMode::kGraceful);
  const auto job = engine_->wait_for_end();
  EXPECT_EQ(job.status, jobs::JobStatus::kStopped);
  EXPECT_EQ(exit_of(job, 0).exit_code, 137);
}

TEST_P(LocalJob, AStopAtOnceDoesNotWaitForTheGrace) {
  jobs::JobSpec spec = shell({{"a", 1}}, "trap '' TERM; echo ready; while :; do sleep 0.02; done");
  spec.stop_grace = seconds(3600);
  begin(spec);
  wait_for_line("algo-1", "ready");
  engine_->backend().stop("demo", StopMode::kGraceful);
  engine_->backend().stop("demo", StopMode::kAtOnce);
  EXPECT_EQ(engine_->wait_for_end().status, jobs::JobStatus::kStopped);
}

TEST_P(LocalJob, AuxiliaryGroupsEndWithTheOthers) {
  jobs::JobSpec spec = shell({{"data_group", 1}, {"dnn_group", 1}},
                             "grep -q 'current_group_name\": *\"data_group' "
                             "\"${SAGEMAKER_BASE_DIR:-/opt/ml}\"/input/config/resourceconfig.json && "
                             "exec sleep 600; exit 0");
  spec.groups[0].auxiliary = true;
  const auto job = run(spec);
  EXPECT_EQ(job.status, jobs::JobStatus::kCompleted) << job.failure_reason;
  EXPECT_TRUE(exit_of(job, 0).stopped_by_us);
}

TEST_P(LocalJob, TheLongestRunTimeEndsTheJobAsStopped) {
  jobs::JobSpec spec = shell({{"a", 1}}, "exec sleep 600");
  spec.max_runtime = seconds(1);
  const auto job = run(spec);
  EXPECT_EQ(job.status, jobs::JobStatus::kStopped);
  EXPECT_EQ(job.secondary, jobs::SecondaryStatus::kMaxRuntimeExceeded);
}

TEST_P(LocalJob, TheDeathOfTheSupervisorIsNoticedAndItsInstancesDieWithIt) {
  begin(shell({{"a", 2}}, "echo weights > \"${SAGEMAKER_BASE_DIR:-/opt/ml}\"/model/weights; "
                          "echo ready; exec sleep 600"));
  wait_for_line("algo-1", "ready");
  wait_for_line("algo-2", "ready");
  ASSERT_EQ(::kill(supervisor(), SIGKILL), 0);
  const auto job = engine_->wait_for_end();
  EXPECT_EQ(job.status, jobs::JobStatus::kFailed);
  EXPECT_TRUE(job.failure_reason.starts_with(
      "InternalServerError: the supervisor of the job ended without a word"))
      << job.failure_reason;
  EXPECT_TRUE(fs::exists(folder_.unsaved() / "algo-2/model/weights"));
}

TEST_P(LocalJob, AnotherEngineTakesTheJobOverWhenTheFirstIsGone) {
  begin(shell({{"a", 1}}, "echo ready; while [ ! -e " + (root_.path() / "go").string() +
                              " ] && [ ! -e \"${SAGEMAKER_BASE_DIR:-/opt/ml}\"/model/go ]; do "
                              "sleep 0.02; done"));
  wait_for_line("algo-1", "ready");
  const jobs::TrainingJob known = engine_->job();
  engine_ = std::make_unique<Engine>(home_, GetParam());
  engine_->adopt(known);
  std::ofstream(folder_.ml("algo-1") / "model/go") << "now";
  const auto job = engine_->wait_for_end();
  EXPECT_EQ(job.status, jobs::JobStatus::kCompleted) << job.failure_reason;
}

TEST_P(LocalJob, AnEngineThatComesAfterTheEndImportsTheJournal) {
  begin(shell({{"a", 1}}, "sleep 0.2; exit 5"));
  const jobs::TrainingJob known = engine_->job();
  const pid_t pid = supervisor();
  engine_.reset();
  const auto pidfd = os::open_pidfd(pid);
  const SystemClock clock;
  const auto end = clock.monotonic_now() + kLongEnough;
  while (pidfd && !os::pidfd_ended(pidfd->get()) && clock.monotonic_now() < end) {
    std::this_thread::sleep_for(milliseconds(5));
  }
  engine_ = std::make_unique<Engine>(home_, GetParam());
  engine_->adopt(known);
  const auto job = engine_->wait_for_end();
  EXPECT_EQ(exit_of(job, 0).exit_code, 5);
  EXPECT_EQ(job.status, jobs::JobStatus::kFailed);
}

TEST_P(LocalJob, ASupervisorThatDiesWithoutAnEngineLeavesItsFactsBehind) {
  begin(shell({{"a", 1}}, "echo ready; exec sleep 600"));
  wait_for_line("algo-1", "ready");
  const jobs::TrainingJob known = engine_->job();
  const pid_t pid = supervisor();
  engine_.reset();
  ASSERT_EQ(::kill(pid, SIGKILL), 0);
  engine_ = std::make_unique<Engine>(home_, GetParam());
  engine_->adopt(known);
  EXPECT_EQ(engine_->wait_for_end().status, jobs::JobStatus::kFailed);
}

TEST_P(LocalJob, AJobThatWasLaunchedButNeverHandedOverIsStartedByTheNextEngine) {
  jobs::JobSpec spec = shell({{"a", 1}}, "exit 0");
  spec.output_uri = "file://" + (root_.path() / "out").string();
  engine_->adopt(jobs::launched(spec, SystemClock().wall_now()));
  EXPECT_EQ(engine_->wait_for_end().status, jobs::JobStatus::kCompleted);
}

// The store had the power to keep what the journal had not.
TEST_P(LocalJob, AJobOfWhichALossOfPowerLeftNoJournalEndsAsFailed) {
  auto job = jobs::launched(shell({{"a", 1}}, "exit 0"), SystemClock().wall_now());
  job.imported_position = 7;
  engine_->adopt(job);
  const auto ended = engine_->wait_for_end();
  EXPECT_EQ(ended.status, jobs::JobStatus::kFailed);
  EXPECT_NE(ended.failure_reason.find("ended without a word"), std::string::npos);
}

TEST_P(LocalJob, ASupervisorThatHasJustBegunIsNotTakenForLost) {
  auto job = jobs::launched(shell({{"a", 1}}, "exit 0"), SystemClock().wall_now());
  job.imported_position = 7;
  fs::create_directories(folder_.root);
  std::ofstream journal(folder_.journal());
  auto lock = os::FileLock::try_acquire(folder_.lock());
  ASSERT_TRUE(lock && *lock);
  engine_->adopt(job);
  std::this_thread::sleep_for(milliseconds(90));
  EXPECT_FALSE(engine_->job().ended());
  lock->reset();
  EXPECT_EQ(engine_->wait_for_end().status, jobs::JobStatus::kFailed);
}

TEST_P(LocalJob, TheFolderOfADeletedJobOfTheSameNameIsNotTakenForTheNewOne) {
  EXPECT_EQ(run(shell({{"a", 1}}, "exit 9")).status, jobs::JobStatus::kFailed);
  jobs::JobSpec spec = shell({{"a", 1}}, "exit 0");
  spec.output_uri = "file://" + (root_.path() / "out").string();
  engine_ = std::make_unique<Engine>(home_, GetParam());
  engine_->adopt(jobs::launched(spec, SystemClock().wall_now() + milliseconds(1)));
  EXPECT_EQ(engine_->wait_for_end().status, jobs::JobStatus::kCompleted);
}

TEST_P(LocalJob, OneLostInstanceFailsTheJobAndStopsTheRest) {
  if (GetParam() == sandbox::Isolation::kPlain) GTEST_SKIP() << "finds the init by its namespace";
  begin(shell({{"a", 2}}, "echo ready; exec sleep 600"));
  wait_for_line("algo-1", "ready");
  wait_for_line("algo-2", "ready");
  std::ifstream children("/proc/" + std::to_string(supervisor()) + "/task/" +
                         std::to_string(supervisor()) + "/children");
  pid_t init = 0;
  ASSERT_TRUE(children >> init);
  ASSERT_EQ(::kill(init, SIGKILL), 0);
  const auto job = engine_->wait_for_end();
  EXPECT_EQ(job.status, jobs::JobStatus::kFailed);
  EXPECT_TRUE(job.instances[0].exit && job.instances[1].exit);
}

}  // namespace
}  // namespace evener::backends

int main(int argc, char** argv) {
  if (argc == 4 && std::string_view(argv[1]) == "supervise") {
    evener::SystemRandom random;
    return evener::backends::run_supervisor(argv[3], evener::SystemClock(), random,
                                            [](auto&, const auto&) {});
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
