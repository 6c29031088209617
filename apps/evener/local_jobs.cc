#include "evener/local_jobs.h"

#include <thread>
#include <utility>

#include "base/log.h"
#include "evener/catalog_source.h"
#include "evener/engine_seat.h"
#include "evener/summary.h"
#include "training/backends/local/job_folder/job_folder.h"

namespace evener::app {
namespace {

// An engine imports the journal of a job that has ended in one turn; a listing waits no longer.
constexpr std::chrono::milliseconds kImportTime{500};
constexpr std::chrono::milliseconds kTurn{10};
constexpr std::chrono::milliseconds kRest{50};
constexpr std::size_t kMostNames = 10'000;

Status wait_for_imports(store::Store& store, const Clock& clock) {
  const auto deadline = clock.monotonic_now() + kImportTime;
  while (clock.monotonic_now() < deadline) {
    auto active = store.active();
    if (!active) return tl::unexpected(active.error());
    if (active->empty()) return ok();
    std::this_thread::sleep_for(kTurn);
  }
  return ok();
}

class LocalFeed final : public JobFeed {
 public:
  LocalFeed(store::Store& store, std::string job, const backends::JobFolder& folder,
            std::function<void()> rest)
      : reader_(store, std::move(job), {folder.logs(), folder.samples()}, {}),
        rest_(std::move(rest)) {}
  Result<JobUpdate> poll() override { return reader_.read(); }
  void rest() override { rest_(); }

 private:
  following::JobReader reader_;
  const std::function<void()> rest_;
};

class LocalJobs final : public JobSource {
 public:
  LocalJobs(OpenedHome opened, const Clock& clock, LocalJobsOptions options)
      : home_(std::move(opened.home)), files_(std::move(opened.files)),
        store_(std::move(opened.store)), clock_(clock), options_(std::move(options)) {}

  Result<jobs::TrainingJob> find(const std::string& name) override { return store_->find(name); }
  Result<std::vector<jobs::TrainingJob>> list(const store::ListFilter& filter) override {
    return store_->list(filter);
  }
  double machine_cpus() const override { return machine_cluster().cpus; }
  Result<std::vector<std::string>> names() override {
    auto known = store_->page({.order = jobs::SortOrder::kDescending, .limit = kMostNames});
    if (!known) return tl::unexpected(known.error());
    std::vector<std::string> names;
    for (auto& job : known->jobs) names.push_back(std::move(job.name));
    return names;
  }
  Result<std::unique_ptr<JobFeed>> follow(const std::string& name) override {
    return std::make_unique<LocalFeed>(*store_, name, backends::job_folder(home_.root, name),
                                       options_.rest);
  }

  Status stop(const jobs::TrainingJob& job, Stop how) override {
    RETURN_IF_ERROR(commit(job, jobs::StopRequested{.at_once = how == Stop::kAtOnce}));
    // Also where there is an engine: it may be about to leave.
    if (options_.engines == Engines::kAny)
      RETURN_IF_ERROR(start_background_engine(home_, sandbox::best_isolation()));
    wake_engine(home_);
    return ok();
  }

  Status remove(const jobs::TrainingJob& job) override {
    RETURN_IF_ERROR(commit(job, jobs::Deleted{}));
    return files_->remove_tree(backends::job_folder(home_.root, job.spec.name).root);
  }

  Result<cost::JobCost> cost_of(const jobs::TrainingJob& job, const std::string& region) override {
    const auto catalog = load_catalog(home_, *files_);
    if (!catalog) return tl::unexpected(catalog.error());
    return cost::job_cost(group_uses(job), *catalog, region, clock_.wall_now());
  }

  Status attend() override {
    const auto attended = app::attend(home_);
    return attended ? ok() : Status(tl::unexpected(attended.error()));
  }

 private:
  Status commit(const jobs::TrainingJob& job, jobs::JobChange change) {
    const jobs::JobEvent event{.job = job.spec.name, .time = clock_.wall_now(),
                               .change = std::move(change)};
    auto committed = store_->commit({&event, 1});
    if (!committed) return tl::unexpected(committed.error());
    return std::move(committed->front());
  }

  const Home home_;
  const std::unique_ptr<os::FileSystem> files_;
  const std::unique_ptr<store::Store> store_;
  const Clock& clock_;
  const LocalJobsOptions options_;
};

}  // namespace

Result<OpenedHome> open_home_jobs(const SharedOptions& options, const Clock& clock) {
  auto home = find_home(options.home);
  if (!home) return tl::unexpected(home.error());
  OpenedHome opened{.home = *home, .files = os::make_real_file_system(), .store = nullptr};
  auto store = store::open_store(opened.home.root);
  if (!store) return tl::unexpected(store.error());
  opened.store = std::move(*store);
  auto active = opened.store->active();
  if (!active) return tl::unexpected(active.error());
  if (active->empty()) {
    clear_seat(opened.home, *opened.files);
    return opened;
  }
  auto acted = attend(opened.home);
  if (!acted)   // the jobs can be looked at all the same
    log_line(LogLevel::kWarning, "engine", "the jobs of this home are left alone",
             {{"error", acted.error().message}});
  if (acted && *acted == Attended::kNow) RETURN_IF_ERROR(wait_for_imports(*opened.store, clock));
  return opened;
}

Result<std::unique_ptr<JobSource>> open_local_jobs(const SharedOptions& options,
                                                   const Clock& clock) {
  auto opened = open_home_jobs(options, clock);
  if (!opened) return tl::unexpected(opened.error());
  return make_local_jobs(std::move(*opened), clock,
                         {.rest = [] { std::this_thread::sleep_for(kRest); }});
}

std::unique_ptr<JobSource> make_local_jobs(OpenedHome home, const Clock& clock,
                                           LocalJobsOptions options) {
  return std::make_unique<LocalJobs>(std::move(home), clock, std::move(options));
}

}  // namespace evener::app
