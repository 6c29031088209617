#include "training/backends/local/supervisor/job_steps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "os/temporary_folder_test.h"
#include "training/backends/local/supervisor/fake_sandbox_test.h"
#include "training/jobs/job_sample_test.h"

namespace evener::backends {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

// A whole supervisor, but for its instances, which are fakes, and its process.
class OneJob : public ::testing::Test {
 protected:
  OneJob() {
    fs::create_directories(folder_.instances());
    fs::create_directories(folder_.logs());
    spec_.output_uri = "file://" + (root_.path() / "out").string();
    spec_.entrypoint = {"train"};
    instances_.on_run = [](FakeSandbox& instances, const std::string& host) {
      instances.exits(host, 0);
    };
  }

  jobs::Ended run() {
    plan_.job = jobs::launched(spec_, clock_.wall_now());
    plan_.host_environment = {{"PATH", "/usr/bin:/bin"}};
    journal_ = std::move(*JournalWriter::open(*files_, folder_.journal()));
    recorder_ = std::make_unique<Recorder>(plan_.job, *journal_, clock_);
    link_ = std::move(*EngineLink::open(folder_.socket(), os::UniqueFd(), EngineKind::kEmbedded,
                                        recorder_->records(), clock_));
    if (before_run_) before_run_();
    EventLoop loop(*link_, *recorder_, *journal_, &instances_, clock_);
    SampleLog samples(nullptr);
    const auto logs = std::move(*logs::make_log_writer(folder_.logs(), clock_));
    storage::StoreSet stores;
    stores.add("file", storage::make_file_store(*files_));
    jobs::Ended ended;
    {
      JobSteps steps({.plan = plan_, .folder = folder_, .clock = clock_, .files = *files_,
                               .stores = stores, .instances = instances_, .recorder = *recorder_,
                               .loop = loop, .samples = samples, .logs = *logs,
                               .trouble = trouble_});
      ended = steps.run();
    }
    recorder_->record(ended);
    return ended;
  }

  // The kinds of all recorded events, in order.
  std::vector<std::string> kinds() {
    std::vector<std::string> kinds;
    for (const std::string& record : recorder_->records()) {
      kinds.emplace_back(jobs::kind_of(jobs::event_from_json(record)->change));
    }
    return kinds;
  }
  fs::path ml(const std::string& host) { return instances_.ml_folder(host); }
  void write(const fs::path& path, std::string_view text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  jobs::JobSpec spec_ = jobs::sample_spec("demo", {{"data_group", 1}, {"dnn_group", 1}});
  os::TemporaryFolder root_;
  JobFolder folder_{root_.path() / "job"};
  FakeClock clock_{from_millis(1'700'000'000'000)};
  std::unique_ptr<os::FileSystem> files_ = os::make_real_file_system();
  FakeSandbox instances_{folder_.instances()};
  Plan plan_;
  std::function<void()> before_run_;
  std::unique_ptr<JournalWriter> journal_;
  std::unique_ptr<Recorder> recorder_;
  StoreTrouble trouble_;
  std::unique_ptr<EngineLink> link_;
};

using Kinds = std::vector<std::string>;

TEST_F(OneJob, AJobWithoutChannelsGoesStraightToTraining) {
  const jobs::Ended ended = run();
  EXPECT_EQ(ended.status, jobs::JobStatus::kCompleted) << ended.failure_reason;
  EXPECT_EQ(kinds(), (Kinds{"TrainingStarted", "InstanceExited", "InstanceExited",
                            "UploadingStarted", "UsageReported", "ArtifactsStored", "Ended"}));
  EXPECT_TRUE(fs::is_regular_file(ml("algo-1") / "input/config/resourceconfig.json"));
  EXPECT_TRUE(fs::is_directory(ml("algo-2") / "model"));
}

TEST_F(OneJob, ChannelsAreStagedBeforeTheProgramsStart) {
  write(root_.path() / "data/a.txt", "hello");
  jobs::Channel channel;
  channel.name = "raw";
  channel.uri = "file://" + (root_.path() / "data").string();
  spec_.channels = {channel};
  const jobs::Ended ended = run();
  EXPECT_EQ(ended.status, jobs::JobStatus::kCompleted) << ended.failure_reason;
  const Kinds seen = kinds();
  EXPECT_EQ(Kinds(seen.begin(), seen.begin() + 3),
            (Kinds{"StagingStarted", "ChannelsStaged", "TrainingStarted"}));
  ASSERT_EQ(recorder_->job().channels.size(), 1u);
  EXPECT_EQ(recorder_->job().channels[0].bytes, 5u);
}

TEST_F(OneJob, AnAbsentChannelEndsTheJobBeforeAnythingRuns) {
  jobs::Channel channel;
  channel.name = "raw";
  channel.uri = "file://" + (root_.path() / "nothing").string();
  spec_.channels = {channel};
  const jobs::Ended ended = run();
  EXPECT_EQ(ended.status, jobs::JobStatus::kFailed);
  EXPECT_TRUE(ended.failure_reason.starts_with("ClientError: Data download failed:"))
      << ended.failure_reason;
  EXPECT_EQ(kinds(), (Kinds{"StagingStarted", "Ended"}));
  EXPECT_TRUE(instances_.asked.empty());
}

TEST_F(OneJob, ModelAndOutputOfAllHostsAreStored) {
  instances_.on_run = [this](FakeSandbox& instances, const std::string& host) {
    write(ml(host) / "model" / host, "weights of " + host);
    write(ml(host) / "output/data" / host, "numbers");
    instances.exits(host, 0);
  };
  const jobs::Ended ended = run();
  EXPECT_EQ(ended.status, jobs::JobStatus::kCompleted) << ended.failure_reason;
  const std::string base = spec_.output_uri + "/demo/output/";
  EXPECT_EQ(recorder_->job().artifacts.model_uri, base + "model.tar.gz");
  EXPECT_EQ(recorder_->job().artifacts.output_uri, base + "output.tar.gz");
  EXPECT_TRUE(fs::is_regular_file(root_.path() / "out/demo/output/model.tar.gz"));
}

TEST_F(OneJob, WithoutCompressionSingleFilesAreStored) {
  spec_.compress_output = false;
  instances_.on_run = [this](FakeSandbox& instances, const std::string& host) {
    write(ml(host) / "model" / host, "weights");
    instances.exits(host, 0);
  };
  EXPECT_EQ(run().status, jobs::JobStatus::kCompleted);
  EXPECT_TRUE(fs::is_regular_file(root_.path() / "out/demo/output/model/algo-2"));
}

TEST_F(OneJob, ResultsThatCannotBeStoredAreKeptAndTheReasonSaysWhere) {
  write(root_.path() / "out", "a file where the output folder should be");
  instances_.on_run = [this](FakeSandbox& instances, const std::string& host) {
    write(ml(host) / "model/weights", "of " + host);
    instances.exits(host, 0);
  };
  const jobs::Ended ended = run();
  EXPECT_EQ(ended.status, jobs::JobStatus::kFailed);
  EXPECT_TRUE(ended.failure_reason.starts_with("ClientError: Artifact upload failed:"));
  const fs::path kept = folder_.unsaved();
  EXPECT_NE(ended.failure_reason.find(kept.string()), std::string::npos) << ended.failure_reason;
  EXPECT_TRUE(fs::is_regular_file(kept / "algo-2/model/weights"));
}

TEST_F(OneJob, ASymlinkInPlaceOfTheModelIsLeftOutAndSaid) {
  write(root_.path() / "secret/key", "secret");
  instances_.on_run = [this](FakeSandbox& instances, const std::string& host) {
    fs::remove_all(ml(host) / "model");
    fs::create_directory_symlink(root_.path() / "secret", ml(host) / "model");
    instances.exits(host, 0);
  };
  EXPECT_EQ(run().status, jobs::JobStatus::kCompleted);
  EXPECT_FALSE(fs::exists(root_.path() / "out/demo/output/model.tar.gz"));
  ASSERT_FALSE(recorder_->job().notices.empty());
  EXPECT_NE(recorder_->job().notices[0].find("algo-1: /opt/ml/model"), std::string::npos);
}

TEST_F(OneJob, WhatTheSandboxNoticesWhileProgramsRunIsANoticeOfTheJob) {
  instances_.on_run = [](FakeSandbox& instances, const std::string& host) {
    sandbox::HostEvent noticed;
    noticed.kind = sandbox::HostEvent::Kind::kNoticed;
    noticed.text = "the way outside is closed";
    instances.happens(noticed);
    instances.exits(host, 0);
  };
  EXPECT_EQ(run().status, jobs::JobStatus::kCompleted);
  EXPECT_EQ(recorder_->job().notices.at(0), "the way outside is closed");
}

TEST_F(OneJob, AHostThatCannotStartStopsTheOthersWithTheReason) {
  instances_.refuses_to_run("algo-1", "no such program");
  instances_.on_run = nullptr;
  instances_.on_term = [](FakeSandbox& instances, const std::string& host) {
    instances.exits(host, 143, SIGTERM);
  };
  const jobs::Ended ended = run();
  EXPECT_EQ(ended.status, jobs::JobStatus::kFailed);
  EXPECT_NE(ended.failure_reason.find("no such program"), std::string::npos);
  EXPECT_EQ(instances_.asked, (std::vector<std::string>{"run algo-2", "term algo-2"}));
}

TEST_F(OneJob, NobodyTakesTheJobOverForTenSecondsAndItIsStopped) {
  instances_.on_run = nullptr;
  instances_.on_term = [](FakeSandbox& instances, const std::string& host) {
    instances.exits(host, 143, SIGTERM);
  };
  before_run_ = [this] { clock_.advance(seconds(10)); };
  const jobs::Ended ended = run();
  EXPECT_NE(ended.status, jobs::JobStatus::kCompleted);
  ASSERT_TRUE(recorder_->job().stop);
  EXPECT_EQ(recorder_->job().stop->cause, jobs::StopCause::kEngineLost);
  EXPECT_NE(recorder_->job().notices.back().find("no other evener"), std::string::npos);
}

TEST_F(OneJob, TheLongestRunTimeIsCountedOnTheMonotonicClock) {
  spec_.max_runtime = seconds(5);
  instances_.on_run = [this](FakeSandbox&, const std::string&) {
    clock_.set_wall(from_millis(0));
    clock_.advance(seconds(3));   // two hosts
  };
  instances_.on_term = [](FakeSandbox& instances, const std::string& host) {
    instances.exits(host, 143, SIGTERM);
  };
  const jobs::Ended ended = run();
  EXPECT_EQ(ended.status, jobs::JobStatus::kStopped);
  EXPECT_EQ(ended.secondary, jobs::SecondaryStatus::kMaxRuntimeExceeded);
}

TEST_F(OneJob, TheLongestRunTimeEndsTheStagingToo) {
  write(root_.path() / "data/a.txt", "hello");
  jobs::Channel channel;
  channel.name = "raw";
  channel.uri = "file://" + (root_.path() / "data").string();
  spec_.channels = {channel};
  spec_.max_runtime = seconds(0);
  const jobs::Ended ended = run();
  EXPECT_EQ(ended.status, jobs::JobStatus::kStopped);
  EXPECT_EQ(ended.secondary, jobs::SecondaryStatus::kMaxRuntimeExceeded);
  EXPECT_TRUE(instances_.asked.empty());
}

TEST_F(OneJob, AStopAskedForBeforeTheProgramsStartIsHeard) {
  write(root_.path() / "data/a.txt", "hello");
  jobs::Channel channel;
  channel.name = "raw";
  channel.uri = "file://" + (root_.path() / "data").string();
  spec_.channels = {channel};
  instances_.on_run = nullptr;
  instances_.on_term = [](FakeSandbox& instances, const std::string& host) {
    instances.exits(host, 143, SIGTERM);
  };
  std::optional<os::LineConnection> engine;
  before_run_ = [&] {
    engine.emplace(std::move(*os::connect_unix(folder_.socket())));
    ASSERT_TRUE(engine->send_line(command_line(AttachCommand{})));
    ASSERT_TRUE(engine->send_line(command_line(StopCommand{StopMode::kGraceful})));
  };
  const jobs::Ended ended = run();
  EXPECT_EQ(ended.status, jobs::JobStatus::kStopped);
  ASSERT_TRUE(recorder_->job().stop);
  EXPECT_EQ(recorder_->job().stop->cause, jobs::StopCause::kUser);
}

// Script mode with a source folder; the installation of requirements ends with `pip_exit`.
class OneScriptJob : public OneJob {
 protected:
  OneScriptJob() {
    write(root_.path() / "src/train.py", "print('hello')");
    write(root_.path() / "src/lib/part.py", "");
    spec_.entrypoint = {};
    spec_.hyperparameters = {
        {"sagemaker_program", "\"train.py\""},
        {"sagemaker_submit_directory", "\"" + (root_.path() / "src").string() + "\""}};
    instances_.on_run = [this](FakeSandbox& instances, const std::string& host) {
      const auto& argv = instances.commands[host].back().argv;
      const bool installs = std::ranges::find(argv, "pip") != argv.end();
      instances.exits(host, installs ? pip_exit_ : 0);
    };
  }
  int pip_exit_ = 0;
};

TEST_F(OneScriptJob, EveryHostHasItsOwnCopyOfTheCode) {
  const jobs::Ended ended = run();
  EXPECT_EQ(ended.status, jobs::JobStatus::kCompleted) << ended.failure_reason;
  for (const std::string host : {"algo-1", "algo-2"}) {
    EXPECT_TRUE(fs::is_regular_file(ml(host) / "code/train.py"));
    EXPECT_TRUE(fs::is_regular_file(ml(host) / "code/lib/part.py"));
    EXPECT_EQ(instances_.commands[host].size(), 1u);
  }
}

TEST_F(OneScriptJob, RequirementsAreInstalledOnceBeforeTheProgramsStart) {
  write(root_.path() / "src/requirements.txt", "numpy");
  const jobs::Ended ended = run();
  EXPECT_EQ(ended.status, jobs::JobStatus::kCompleted) << ended.failure_reason;
  EXPECT_EQ(instances_.asked,
            (std::vector<std::string>{"run algo-1", "close /opt/ml/.requirements of algo-1",
                                      "run algo-1", "run algo-2"}));
  EXPECT_EQ(kinds()[0], "StatusMessageChanged");
  EXPECT_EQ(kinds()[1], "TrainingStarted");
}

TEST_F(OneScriptJob, RequirementsThatCannotBeInstalledFailTheJob) {
  write(root_.path() / "src/requirements.txt", "no-such-package");
  pip_exit_ = 1;
  const jobs::Ended ended = run();
  EXPECT_EQ(ended.status, jobs::JobStatus::kFailed);
  EXPECT_TRUE(ended.failure_reason.starts_with("AlgorithmError: requirements.txt"))
      << ended.failure_reason;
  EXPECT_EQ(instances_.asked, (std::vector<std::string>{"run algo-1"}));
}

TEST_F(OneScriptJob, AMissingEntryPointEndsTheJobBeforeAnythingRuns) {
  fs::remove(root_.path() / "src/train.py");
  const jobs::Ended ended = run();
  EXPECT_EQ(ended.status, jobs::JobStatus::kFailed);
  EXPECT_NE(ended.failure_reason.find("train.py"), std::string::npos) << ended.failure_reason;
  EXPECT_TRUE(instances_.asked.empty());
}

TEST_F(OneJob, WhatTheSandboxCouldNotHaveIsSaid) {
  instances_.says("no memory limits: the controller is missing");
  run();
  EXPECT_EQ(recorder_->job().notices.front(), "no memory limits: the controller is missing");
}

}  // namespace
}  // namespace evener::backends
