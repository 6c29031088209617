#include "evener/commands.h"
#include "evener/engine_seat.h"
#include "evener/interrupts.h"
#include "evener/isolation.h"

namespace evener::app {
namespace {

constexpr std::chrono::milliseconds kTurn{100};

}  // namespace

int run_engine(const EngineOptions& options) {
  const SystemClock clock;
  auto interrupts = Interrupts::make();
  if (!interrupts) return report_error(interrupts.error(), kExitFailed);
  auto home = open_home(options.shared.home);
  if (!home) return report_error(home.error(), kExitUsage);
  auto isolation = choose_isolation(options.isolation);
  if (!isolation) return report_error(isolation.error(), kExitUsage);
  auto files = os::make_real_file_system();
  auto store = store::open_store(home->root);
  if (!store) return report_error(store.error(), kExitFailed);
  auto seat = EngineSeat::start({.home = *home, .isolation = *isolation}, *files, clock);
  if (!seat) return report_error(seat.error(), kExitFailed);
  for (;;) {
    auto active = (*store)->active();
    if (!active) return report_error(active.error(), kExitFailed);
    if (active->empty()) return kExitDone;
    if (interrupts->wait(kTurn) > 0) return kExitDone;
  }
}

}  // namespace evener::app
