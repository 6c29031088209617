#include "training/backends/local/supervisor/event_loop.h"

#include <algorithm>

#include "base/log.h"

namespace evener::backends {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kJournalRetry{1000};
constexpr milliseconds kFarewell{2000};
// How long the end of a job is held for a journal that the disk does not take.
constexpr milliseconds kLastJournalRetries{60'000};
// Upper bound of one wait; deadlines cut it shorter.
constexpr milliseconds kLongestWait{60'000};

void wait_for(std::vector<pollfd>& polled, milliseconds timeout) {
  ::poll(polled.data(), polled.size(), static_cast<int>(timeout.count()));
}

milliseconds until(MonotonicTime time, MonotonicTime now) {
  if (time <= now) return milliseconds(0);
  // Rounded up: waking early would turn the loop without effect.
  return std::chrono::ceil<milliseconds>(time - now);
}

}  // namespace

void EventLoop::run(Phase& phase) {
  take_stops(phase);   // a phase may be done before its first turn
  while (!phase.done()) turn(phase);
}

void EventLoop::turn(Phase& phase) {
  std::vector<pollfd> polled;
  link_.add_descriptors(polled);
  if (instances_ != nullptr) {
    polled.push_back({.fd = instances_->event_fd(), .events = POLLIN, .revents = 0});
  }
  if (signal_ != nullptr) {
    polled.push_back({.fd = signal_->fd(), .events = POLLIN, .revents = 0});
  }
  if (phase.ready_fd() >= 0) {
    polled.push_back({.fd = phase.ready_fd(), .events = POLLIN, .revents = 0});
  }
  wait_for(polled, milliseconds(timeout_ms(phase)));
  journal_.flush();
  take_host_events(phase);
  take_stops(phase);
  phase.tick();
}

void EventLoop::take_stops(Phase& phase) {
  if (const auto mode = link_.take_commands()) stop(phase, *mode);
  while (signal_ != nullptr) {
    const auto sender = signal_->take();
    if (!sender) break;
    stop_by_signal(phase, *sender);
  }
  if (phase.stoppable() && !recorder_.job().stop) stop_by_itself(phase);
}

void EventLoop::stop(Phase& phase, StopMode mode) {
  const bool at_once = mode == StopMode::kAtOnce;
  const auto& asked = recorder_.job().stop;
  if (!asked || (at_once && !asked->at_once)) {
    recorder_.record(jobs::StopRequested{.cause = jobs::StopCause::kUser, .at_once = at_once});
  }
  phase.stop(mode);
}

// The first asks, the second does not wait for the grace any more.
void EventLoop::stop_by_signal(Phase& phase, pid_t sender) {
  const bool again = recorder_.job().stop.has_value();
  const std::string from = sender > 0 ? " from process " + std::to_string(sender) : "";
  recorder_.record(jobs::Noticed{"The supervisor of this job got SIGTERM" + from +
                                 (again ? ": the job is stopped at once."
                                        : ": the job is being stopped.")});
  stop(phase, again ? StopMode::kAtOnce : StopMode::kGraceful);
}

void EventLoop::stop_by_itself(Phase& phase) {
  const MonotonicTime now = clock_.monotonic_now();
  if (now >= longest_) {
    recorder_.record(jobs::StopRequested{.cause = jobs::StopCause::kMaxRuntime});
    phase.stop(StopMode::kGraceful);
    return;
  }
  const auto lost = link_.engine_lost_at();
  if (!lost || now < *lost) return;
  recorder_.record(jobs::Noticed{
      "The program that ran this job ended, and no other evener on the same home took the job over "
      "within " + std::to_string(kEngineLostAfter.count()) + " s: the job is being stopped."});
  recorder_.record(jobs::StopRequested{.cause = jobs::StopCause::kEngineLost});
  phase.stop(StopMode::kGraceful);
}

void EventLoop::take_host_events(Phase& phase) {
  if (instances_ == nullptr) return;
  while (!phase.done()) {
    auto event = instances_->next_event(milliseconds(0));
    if (!event) {
      log_line(LogLevel::kError, "local", "no event", {{"error", event.error().message}});
      return;
    }
    if (!*event) return;
    if ((*event)->kind == sandbox::HostEvent::Kind::kNoticed) {
      recorder_.record(jobs::Noticed{(*event)->text});
    } else {
      phase.host_event(**event);
    }
  }
}

int EventLoop::timeout_ms(const Phase& phase) const {
  const MonotonicTime now = clock_.monotonic_now();
  milliseconds timeout = kLongestWait;
  if (const auto next = phase.next_tick()) timeout = std::min(timeout, until(*next, now));
  if (phase.stoppable() && !recorder_.job().stop) {
    timeout = std::min(timeout, until(longest_, now));
    if (const auto lost = link_.engine_lost_at()) timeout = std::min(timeout, until(*lost, now));
  }
  if (!journal_.everything_written()) timeout = std::min(timeout, kJournalRetry);
  return static_cast<int>(timeout.count());
}

void EventLoop::say_farewell() {
  const MonotonicTime now = clock_.monotonic_now();
  const MonotonicTime engine_end = now + kFarewell;
  const MonotonicTime journal_end = now + kLastJournalRetries;
  while (true) {
    const bool written = journal_.flush();
    link_.take_commands();
    const MonotonicTime time = clock_.monotonic_now();
    const bool engine_waits = link_.attached() && time < engine_end;
    const bool journal_waits = !written && time < journal_end;
    if (!engine_waits && !journal_waits) return;
    std::vector<pollfd> polled;
    link_.add_descriptors(polled);
    wait_for(polled, journal_waits ? kJournalRetry : until(engine_end, time));
  }
}

}  // namespace evener::backends
