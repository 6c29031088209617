// How many jobs a second the engine takes from submission to their end: real store with full
// durability, scripted backend, three instances a job. One thread submits, one runs the engine.
//
//   engine_bench [FOLDER] [JOBS]     FOLDER: a disk, not memory, or durability costs nothing
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "base/check.h"
#include "base/clock.h"
#include "base/ids.h"
#include "training/backends/scripted/scripted.h"
#include "os/temporary_folder_test.h"
#include "training/engine/engine.h"

namespace evener {
namespace {

constexpr int kDefaultJobs = 1000;
constexpr int kRunningJobs = 64;
constexpr double kBar = 300;  // jobs per second

double resident_mib() {
  std::ifstream statm("/proc/self/statm");
  long total = 0;
  long resident = 0;
  statm >> total >> resident;
  return static_cast<double>(resident * sysconf(_SC_PAGESIZE)) / (1 << 20);
}

jobs::JobEvent submission(int number, const Clock& clock) {
  jobs::JobSpec spec{.name = "bench-" + std::to_string(number)};
  spec.groups.push_back({.name = "data_group",
                         .instance_type = "ml.c5.2xlarge",
                         .count = 2,
                         .shape = {.vcpus = 8, .memory_gib = 16, .known = true}});
  spec.groups.push_back({.name = "dnn_group",
                         .instance_type = "ml.g5.2xlarge",
                         .count = 1,
                         .shape = {.vcpus = 8, .memory_gib = 32, .known = true}});
  spec.heterogeneous = true;
  spec.channels.push_back({.name = "raw", .uri = "file:///data/raw", .groups = {"data_group"}});
  spec.channels.push_back({.name = "labels", .uri = "file:///data/labels"});
  spec.hyperparameters = {{"epochs", "3"}, {"script_run_for_ms", "0"}};
  spec.request_json = std::string(1200, 'x');  // the size of a usual request
  const std::string arn = training_job_arn("local", "000000000000", spec.name);
  return {spec.name, clock.wall_now(), 0, jobs::Submitted{std::move(spec), arn}};
}

struct Progress {
  int jobs = kDefaultJobs;
  int ended = 0;
  int completed = 0;
  std::uint64_t events = 0;
  double mib_at_half = 0;
  double mib_at_end = 0;

  void take(const jobs::JobEvent& event, const jobs::TrainingJob& job) {
    ++events;
    if (!std::holds_alternative<jobs::Ended>(event.change)) return;
    ++ended;
    if (job.status == jobs::JobStatus::kCompleted) ++completed;
    if (ended == jobs / 2) mib_at_half = resident_mib();
    if (ended == jobs) mib_at_end = resident_mib();
  }
};

double run(const std::filesystem::path& home, Progress& progress) {
  const SystemClock clock;
  auto store = store::open_store(home);
  CHECK(store.has_value(), "the store opens");
  backends::ScriptedBackend* machine = nullptr;
  auto engine = engine::make_engine(
      {.cluster = {.max_running_jobs = kRunningJobs},
       .observer = [&](const auto& event, const auto& job) { progress.take(event, job); }},
      **store, clock, [&](backends::EventSink sink) {
        auto backend = backends::make_scripted_backend(clock, std::move(sink));
        machine = backend.get();
        return Result<std::unique_ptr<backends::Backend>>(std::move(backend));
      });
  CHECK(engine.has_value(), "the engine starts");

  const MonotonicTime start = clock.monotonic_now();
  std::jthread submitter([&] {
    for (int i = 0; i < progress.jobs; ++i) (*engine)->post(submission(i, clock));
  });
  while (progress.ended < progress.jobs) {
    const bool idle = !machine->next_due() || *machine->next_due() > clock.monotonic_now();
    CHECK((*engine)->step(std::chrono::milliseconds(idle ? 10 : 0)).has_value(), "the disk works");
    machine->advance();
  }
  const double seconds = std::chrono::duration<double>(clock.monotonic_now() - start).count();
  const auto differences = store::verify(**store);
  CHECK(differences.has_value() && differences->empty(), "the store tells the truth");
  return seconds;
}

}  // namespace
}  // namespace evener

int main(int argc, char** argv) {
  using namespace evener;
  const os::TemporaryFolder home(argc > 1 ? argv[1] : ".");
  Progress progress;
  if (argc > 2) progress.jobs = std::atoi(argv[2]);
  const double seconds = run(home.path(), progress);
  const double rate = progress.jobs / seconds;
  std::printf(
      "{\"bench\":\"engine\",\"jobs\":%d,\"instances_per_job\":3,\"completed\":%d,"
      "\"events\":%llu,\"seconds\":%.3f,\"jobs_per_second\":%.1f,\"bar\":%.0f,\"met\":%s,"
      "\"resident_mib_at_half\":%.1f,\"resident_mib_at_end\":%.1f}\n",
      progress.jobs, progress.completed, static_cast<unsigned long long>(progress.events), seconds,
      rate, kBar, rate >= kBar ? "true" : "false", progress.mib_at_half, progress.mib_at_end);
  return progress.completed == progress.jobs ? 0 : 1;
}
