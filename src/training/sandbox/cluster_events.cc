// What comes back from the instances: ends, start failures, losses, and counters.
#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "base/clock.h"
#include "training/sandbox/cluster.h"

namespace evener::sandbox {

Result<std::optional<HostEvent>> Cluster::next_event(std::chrono::milliseconds timeout) {
  const SystemClock clock;
  const MonotonicTime deadline = clock.monotonic_now() + timeout;
  while (true) {
    std::optional<HostEvent> event = take_notice();
    for (std::size_t i = 0; !event && i < hosts_.size(); ++i) event = take_event(i);
    show_waiting_reports();
    if (event) return event;
    // Rounded up, so that the last wait does not end before the deadline.
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - clock.monotonic_now());
    if (left.count() <= 0) return std::optional<HostEvent>();
    pollfd waiting{events_.get(), POLLIN, 0};
    if (::poll(&waiting, 1, static_cast<int>(left.count())) < 0 && errno != EINTR) {
      return errno_failure(errno, "poll");
    }
  }
}

std::optional<HostEvent> Cluster::take_notice() {
  // Its first opening belongs to finish_preparation().
  if (outside_ && prepared_) {
    if (std::optional<std::string> notice = outside_->attend()) {
      later_notices_.push_back(std::move(*notice));
    }
  }
  if (later_notices_.empty()) return std::nullopt;
  HostEvent event;
  event.kind = HostEvent::Kind::kNoticed;
  event.text = std::move(later_notices_.front());
  later_notices_.pop_front();
  return event;
}

std::optional<HostEvent> Cluster::take_event(std::size_t index) {
  Instance& instance = *hosts_[index].instance;
  if (instance.lost()) return std::nullopt;
  // Whether it has ended is asked first: what it reported before is then all there to read.
  pollfd end{instance.pidfd(), POLLIN, 0};
  const bool ended = ::poll(&end, 1, 0) > 0;
  if (std::optional<Message> report = instance.next_report()) return event_of(index, *report);
  if (ended) return lost_event(index);
  if (instance.channel_ended()) {
    // The pidfd tells the rest.
    ::epoll_ctl(events_.get(), EPOLL_CTL_DEL, instance.channel_fd(), nullptr);
  }
  return std::nullopt;
}

HostEvent Cluster::event_of(std::size_t index, const Message& report) {
  HostEvent event;
  event.host = hosts_[index].instance->host();
  if (report.kind == MessageKind::kStartFailed) {
    event.kind = HostEvent::Kind::kStartFailed;
    event.text = report.texts.at(0);
    return event;
  }
  event.kind = HostEvent::Kind::kExited;
  event.exit_code = static_cast<int>(report.numbers.at(0));
  event.signal = static_cast<int>(report.numbers.at(1));
  event.out_of_memory = event.exit_code != 0 && ran_out_of_memory(index);
  return event;
}

HostEvent Cluster::lost_event(std::size_t index) {
  Instance& instance = *hosts_[index].instance;
  ::epoll_ctl(events_.get(), EPOLL_CTL_DEL, instance.pidfd(), nullptr);
  ::epoll_ctl(events_.get(), EPOLL_CTL_DEL, instance.channel_fd(), nullptr);
  (void)counters(instance.host());
  instance.note_end();
  HostEvent event;
  event.kind = HostEvent::Kind::kInstanceLost;
  event.host = instance.host();
  event.signal = SIGKILL;
  event.exit_code = 128 + SIGKILL;
  event.out_of_memory = ran_out_of_memory(index);
  event.text = "the first process of " + instance.host() + " was killed";
  return event;
}

bool Cluster::ran_out_of_memory(std::size_t index) {
  return limits_->group(index).out_of_memory_kills() > hosts_[index].out_of_memory_kills;
}

void Cluster::show_waiting_reports() {
  const bool any = !later_notices_.empty() || std::any_of(hosts_.begin(), hosts_.end(), [](const Host& host) {
    return !host.instance->lost() && host.instance->has_reports();
  });
  std::uint64_t count = 1;
  if (any) {
    (void)!::write(waiting_.get(), &count, sizeof count);
  } else {
    (void)!::read(waiting_.get(), &count, sizeof count);
  }
}

metrics::Counters Cluster::counters(const std::string& host) {
  const Result<std::size_t> index = find(host);
  if (!index) return {};
  Host& entry = hosts_[*index];
  metrics::Counters& counters = entry.counters;
  const os::CgroupUsage group = limits_->group(*index).usage();
  const bool by_processes = !limits_->counts_cpu() || !limits_->counts_memory();
  if (by_processes && !entry.instance->lost()) {
    const auto processes = entry.instance->usage();
    show_waiting_reports();
    if (processes) {
      // A process that ended unseen by its parent may leave the sum; time does not go back.
      counters.cpu_nanos = std::max(counters.cpu_nanos, processes->first);
      counters.memory_bytes = processes->second;
    }
  }
  if (limits_->counts_cpu()) counters.cpu_nanos = std::max(counters.cpu_nanos, group.cpu_nanos);
  if (limits_->counts_memory()) counters.memory_bytes = group.memory_bytes;
  counters.memory_peak_bytes = std::max(
      {counters.memory_peak_bytes, counters.memory_bytes, group.memory_peak_bytes});
  return counters;
}

}  // namespace evener::sandbox
