#include "training/backends/local/supervisor/sampler.h"

namespace evener::backends {

void SampleLog::write(const metrics::Sample& sample) {
  MutexLock lock(mutex_);
  if (writer_) writer_->write(sample);
}

void SampleLog::write(const metrics::Progress& progress) {
  MutexLock lock(mutex_);
  if (writer_) writer_->write(progress);
}

void Sampler::begin(const std::string& host, double visible_cpus) {
  const MonotonicTime now = clock_.monotonic_now();
  meter_.begin(host, visible_cpus, instances_.counters(host), now);
  if (running_.empty()) due_ = now + kSampleInterval;
  running_.insert(host);
}

void Sampler::end(const std::string& host) {
  if (running_.erase(host) > 0) sample(host);
}

void Sampler::tick() {
  const MonotonicTime now = clock_.monotonic_now();
  if (running_.empty() || now < due_) return;
  for (const std::string& host : running_) sample(host);
  // Behind by more than an interval (a suspended machine): start anew instead of catching up.
  due_ = due_ + kSampleInterval > now ? due_ + kSampleInterval : now + kSampleInterval;
}

std::optional<MonotonicTime> Sampler::next_tick() const {
  if (running_.empty()) return std::nullopt;
  return due_;
}

void Sampler::sample(const std::string& host) {
  log_.write(meter_.sample(host, instances_.counters(host), clock_.monotonic_now(),
                           clock_.wall_now()));
}

}  // namespace evener::backends
