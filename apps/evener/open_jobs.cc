#include "evener/open_jobs.h"

#include <thread>

#include "base/log.h"
#include "base/near_miss.h"
#include "evener/engine_seat.h"

namespace evener::app {
namespace {

// An engine imports the journal of a job that has ended in one turn; a listing waits no longer.
constexpr std::chrono::milliseconds kImportTime{500};
constexpr std::chrono::milliseconds kTurn{10};

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

}  // namespace

Result<OpenedJobs> open_jobs(const SharedOptions& options, const Clock& clock) {
  auto home = find_home(options.home);
  if (!home) return tl::unexpected(home.error());
  OpenedJobs opened{.home = *home, .files = os::make_real_file_system(), .store = nullptr};
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

Result<jobs::TrainingJob> find_job(store::Store& store, const std::string& name) {
  constexpr std::size_t kMostNames = 10'000;
  auto job = store.find(name);
  if (job || job.error().code != ErrorCode::kNotFound) return job;
  auto known = store.list({.status = {}, .name_contains = "", .limit = kMostNames});
  if (!known) return job;
  std::vector<std::string_view> names;
  for (const auto& one : *known) names.push_back(one.spec.name);
  Error error = job.error();
  error.message += did_you_mean(name, names) + "; `evener jobs list` shows what there is";
  return tl::unexpected(std::move(error));
}

}  // namespace evener::app
