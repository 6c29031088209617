#include "evener/stop_on_signal.h"

#include <unistd.h>

#include <utility>

#include "base/log.h"
#include "evener/commands.h"
#include "evener/engine_seat.h"

namespace evener::app {
namespace {

constexpr std::chrono::milliseconds kTurn{50};

}  // namespace

StopOnSignal::StopOnSignal(Home home, std::string job, std::unique_ptr<store::Store> store,
                           Interrupts& interrupts, const Clock& clock)
    : home_(std::move(home)),
      job_(std::move(job)),
      store_(std::move(store)),
      interrupts_(interrupts),
      clock_(clock) {}

Result<std::unique_ptr<StopOnSignal>> StopOnSignal::start(const Home& home, const std::string& job,
                                                          Interrupts& interrupts,
                                                          const Clock& clock) {
  auto store = store::open_store(home.root);
  if (!store) return tl::unexpected(store.error());
  std::unique_ptr<StopOnSignal> stopper(
      new StopOnSignal(home, job, std::move(*store), interrupts, clock));
  StopOnSignal* self = stopper.get();
  stopper->thread_ = std::jthread([self](const std::stop_token& stop) { self->run(stop); });
  return stopper;
}

void StopOnSignal::run(const std::stop_token& stop) {
  int signals = 0;
  while (!stop.stop_requested()) {
    const int came = interrupts_.wait(kTurn);
    if (came == 0) continue;
    signals += came;
    request_stop(signals);
  }
}

void StopOnSignal::request_stop(int signals_so_far) {
  const auto job = store_->find(job_);
  // Only a reader that does not read can hold us now: leave as any program would.
  if (job && job->ended() && signals_so_far > 1) ::_exit(kExitStopped);
  if (job && job->ended()) return;
  const jobs::JobEvent event{.job = job_, .time = clock_.wall_now(),
                             .change = jobs::StopRequested{.cause = jobs::StopCause::kUser,
                                                           .at_once = signals_so_far > 1}};
  const auto committed = store_->commit({&event, 1});
  if (!committed)
    log_line(LogLevel::kError, "train", "the stop could not be written",
             {{"job", job_}, {"error", committed.error().message}});
  wake_engine(home_);
}

}  // namespace evener::app
