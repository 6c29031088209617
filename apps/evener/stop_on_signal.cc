#include "evener/stop_on_signal.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <utility>

#include "base/log.h"
#include "evener/commands.h"

namespace evener::app {
namespace {

constexpr std::chrono::milliseconds kTurn{50};

bool out_of_reach(const Error& error) {
  return error.code == ErrorCode::kUnavailable || error.code == ErrorCode::kTimedOut;
}

// The kernel's own call: the thread sanitizer's _exit() flushes standard output, which waits for
// the reader that is left here.
void leave(int code) { ::syscall(SYS_exit_group, code); }

}  // namespace

StopOnSignal::StopOnSignal(std::unique_ptr<JobSource> source, std::string job,
                           Interrupts& interrupts)
    : source_(std::move(source)), job_(std::move(job)), interrupts_(interrupts),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

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
  const auto job = source_->find(job_);
  // Only a reader that does not read can hold us now: leave as any program would.
  if (job && job->ended() && signals_so_far > 1) leave(kExitStopped);
  if (job && job->ended()) return;
  const Status stopped =
      job ? source_->stop(*job, signals_so_far > 1 ? Stop::kAtOnce : Stop::kWithGrace)
          : Status(tl::unexpected(job.error()));
  if (stopped) return;
  log_line(LogLevel::kError, "train", "the stop could not be sent",
           {{"job", job_}, {"error", stopped.error().message}});
  if (signals_so_far > 1 && out_of_reach(stopped.error())) leave(kExitFailed);
}

}  // namespace evener::app
