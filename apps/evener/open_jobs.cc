#include "evener/open_jobs.h"

#include <thread>

#include "evener/engine_seat.h"

namespace evener::app {
namespace {

// A journal of a job that has ended is imported in one turn; a job that still runs is left to its
// own engine, so this is all the time an unattended home gets from a listing.
constexpr std::chrono::milliseconds kImportTime{500};
constexpr std::chrono::milliseconds kTurn{10};

Status import_journals(const Home& home, os::FileSystem& files, store::Store& store,
                       const Clock& clock) {
  auto seat = EngineSeat::start({.home = home}, files, clock);
  if (!seat) return tl::unexpected(seat.error());
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
  auto home = open_home(options.home);
  if (!home) return tl::unexpected(home.error());
  OpenedJobs opened{.home = *home, .files = os::make_real_file_system(), .store = nullptr};
  auto store = store::open_store(opened.home.root);
  if (!store) return tl::unexpected(store.error());
  opened.store = std::move(*store);
  auto active = opened.store->active();
  if (!active) return tl::unexpected(active.error());
  auto attended = seat_is_taken(opened.home);
  if (!attended) return tl::unexpected(attended.error());
  if (!active->empty() && !*attended)
    RETURN_IF_ERROR(import_journals(opened.home, *opened.files, *opened.store, clock));
  return opened;
}

}  // namespace evener::app
