#include "training/backends/local/running_jobs.h"

#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

namespace evener::backends {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLongestWait{60'000};

}  // namespace

Result<std::unique_ptr<RunningJobs>> RunningJobs::start(const Clock& clock) {
  os::UniqueFd wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake) return errno_failure(errno, "eventfd");
  std::unique_ptr<RunningJobs> running(new RunningJobs(clock, std::move(wake)));
  RunningJobs* self = running.get();
  running->thread_ = std::jthread([self](const std::stop_token& stop) { self->run(stop); });
  return running;
}

RunningJobs::~RunningJobs() {
  thread_.request_stop();
  wake_up();
  if (thread_.joinable()) thread_.join();
}

void RunningJobs::add(std::unique_ptr<SupervisorLink> job) {
  {
    MutexLock lock(mutex_);
    // One that was meant for an earlier job of the name, which has ended.
    stops_.erase(job->name());
    added_.push_back(std::move(job));
  }
  wake_up();
}

void RunningJobs::stop(const std::string& job, StopMode mode) {
  {
    MutexLock lock(mutex_);
    const auto [entry, first] = stops_.try_emplace(job, mode);
    if (!first && mode == StopMode::kAtOnce) entry->second = mode;
  }
  wake_up();
}

void RunningJobs::wake_up() { ::eventfd_write(wake_.get(), 1); }

void RunningJobs::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    take_orders();
    for (const auto& job : jobs_) job->turn();
    std::erase_if(jobs_, [](const auto& job) { return job->finished(); });
    wait();
  }
}

void RunningJobs::wait() {
  std::vector<pollfd> polled{{.fd = wake_.get(), .events = POLLIN, .revents = 0}};
  const MonotonicTime now = clock_.monotonic_now();
  milliseconds timeout = kLongestWait;
  for (const auto& job : jobs_) {
    job->add_descriptors(polled);
    const auto next = job->next_try();
    if (!next) continue;
    const auto left = std::chrono::ceil<milliseconds>(*next - now);
    timeout = std::clamp(left, milliseconds(0), timeout);
  }
  ::poll(polled.data(), polled.size(), static_cast<int>(timeout.count()));
}

void RunningJobs::take_orders() {
  eventfd_t drained = 0;
  ::eventfd_read(wake_.get(), &drained);
  std::map<std::string, StopMode> stops;
  {
    MutexLock lock(mutex_);
    stops.swap(stops_);
    std::ranges::move(added_, std::back_inserter(jobs_));
    added_.clear();
  }
  for (const auto& job : jobs_) {
    if (const auto stop = stops.find(job->name()); stop != stops.end()) job->stop(stop->second);
  }
}

}  // namespace evener::backends
