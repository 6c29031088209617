#include <algorithm>

#include "training/metrics/metrics.h"

namespace evener::metrics {
namespace {

double percent(std::uint64_t cpu_nanos, std::chrono::nanoseconds interval) {
  if (interval.count() <= 0) return 0;
  return 100 * static_cast<double>(cpu_nanos) / static_cast<double>(interval.count());
}

}  // namespace

void UsageMeter::begin(const std::string& host, double visible_cpus, Counters counters,
                       MonotonicTime now) {
  if (find(host) != nullptr) return;
  Host begun;
  begun.name = host;
  begun.visible_cpus = visible_cpus;
  begun.last_cpu_nanos = counters.cpu_nanos;
  begun.first_time = begun.last_time = now;
  begun.peak_bytes = std::max(counters.memory_bytes, counters.memory_peak_bytes);
  hosts_.push_back(std::move(begun));
}

Sample UsageMeter::sample(const std::string& host, Counters counters, MonotonicTime now,
                          WallTime wall) {
  begin(host, 0, counters, now);
  Host& metered = *find(host);
  const std::uint64_t used = counters.cpu_nanos > metered.last_cpu_nanos
                                 ? counters.cpu_nanos - metered.last_cpu_nanos
                                 : 0;
  const auto interval = std::max(now - metered.last_time, std::chrono::nanoseconds(0));
  Sample sample;
  sample.time = wall;
  sample.host = host;
  sample.cpu_percent = percent(used, interval);
  sample.memory_bytes = counters.memory_bytes;

  metered.used_nanos += used;
  metered.last_cpu_nanos = counters.cpu_nanos;
  metered.last_time = std::max(metered.last_time, now);
  metered.peak_bytes =
      std::max({metered.peak_bytes, counters.memory_bytes, counters.memory_peak_bytes});
  if (interval >= kMinPeakInterval)
    metered.max_percent = std::max(metered.max_percent, sample.cpu_percent);
  return sample;
}

std::vector<jobs::InstanceUsage> UsageMeter::totals() const {
  std::vector<jobs::InstanceUsage> totals;
  for (const Host& host : hosts_) {
    jobs::InstanceUsage usage;
    usage.host = host.name;
    usage.cpu_percent_mean = percent(host.used_nanos, host.last_time - host.first_time);
    // A run without a whole sample has no other maximum than its mean.
    usage.cpu_percent_max = std::max(host.max_percent, usage.cpu_percent_mean);
    usage.visible_cpus = host.visible_cpus;
    usage.memory_peak_bytes = host.peak_bytes;
    totals.push_back(std::move(usage));
  }
  return totals;
}

UsageMeter::Host* UsageMeter::find(const std::string& host) {
  const auto found =
      std::find_if(hosts_.begin(), hosts_.end(), [&](const Host& h) { return h.name == host; });
  return found == hosts_.end() ? nullptr : &*found;
}

}  // namespace evener::metrics
