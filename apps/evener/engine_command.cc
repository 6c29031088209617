#include "evener/commands.h"
#include "evener/engine_seat.h"
#include "evener/interrupts.h"
#include "evener/run_home.h"

namespace evener::app {
namespace {

constexpr std::chrono::milliseconds kTurn{100};

// A server is about to take the home over: it stays locked out while we have the seat.
bool server_waits(const Home& home) {
  const auto lock = os::FileLock::try_acquire(home.server_lock());
  return lock && !lock->has_value();
}

// Until no job is active or someone ends us; answers whether it was the jobs.
Result<bool> serve_until_idle(const Home& home, sandbox::Isolation isolation,
                              os::FileSystem& files, store::Store& store,
                              Interrupts& interrupts, const Clock& clock) {
  auto seat = EngineSeat::start({.home = home, .isolation = isolation}, files, clock);
  if (!seat) return tl::unexpected(seat.error());
  for (;;) {
    auto active = store.active();
    if (!active) return tl::unexpected(active.error());
    if (active->empty()) return true;
    if (server_waits(home)) return false;
    if (interrupts.wait(kTurn) > 0) return false;
  }
}

// Whoever submits a job and then finds the lock taken relies on its holder. So the holder looks
// once more after it has let the lock go.
Status serve(const Home& home, sandbox::Isolation isolation, os::FileSystem& files,
             store::Store& store, Interrupts& interrupts, const Clock& clock) {
  for (;;) {
    {
      auto lock = os::FileLock::try_acquire(home.background_lock());
      if (!lock) return tl::unexpected(lock.error());
      if (!lock->has_value()) return ok();
      auto idle = serve_until_idle(home, isolation, files, store, interrupts, clock);
      if (!idle) return tl::unexpected(idle.error());
      if (!*idle) return ok();
    }
    auto active = store.active();
    if (!active) return tl::unexpected(active.error());
    if (active->empty()) return ok();
  }
}

}  // namespace

int run_engine(const EngineOptions& options) {
  const SystemClock clock;
  auto interrupts = Interrupts::make();
  if (!interrupts) return report_error(interrupts.error(), kExitFailed);
  auto opened = open_run_home(options.shared, options.isolation);
  if (!opened) return report_error(opened.error(), kExitUsage);
  auto& [home, files, isolation] = *opened;
  auto store = store::open_store(home.root);
  if (!store) return report_error(store.error(), kExitFailed);
  if (auto served = serve(home, isolation, *files, **store, *interrupts, clock); !served)
    return report_error(served.error(), kExitFailed);
  return kExitDone;
}

}  // namespace evener::app
