// Takes the use of CPU and memory of every running host once a second, and keeps the totals.
//
// Used by:  TrainPhase; SampleLog also by the threads that stage and pack.
// Threads:  Sampler: one. SampleLog: any.
// Fails:    never.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "training/metrics/metrics.h"
#include "training/sandbox/sandbox.h"

namespace evener::backends {

inline constexpr std::chrono::seconds kSampleInterval{1};

// The job's samples file behind a lock; writes nothing if it could not be made.
class SampleLog {
 public:
  explicit SampleLog(std::unique_ptr<metrics::SampleWriter> writer) : writer_(std::move(writer)) {}
  void write(const metrics::Sample& sample);
  void write(const metrics::Progress& progress);

 private:
  Mutex mutex_;
  std::unique_ptr<metrics::SampleWriter> writer_ GUARDED_BY(mutex_);
};

class Sampler {
 public:
  Sampler(sandbox::Sandbox& instances, SampleLog& log, const Clock& clock)
      : instances_(instances), log_(log), clock_(clock) {}
  void begin(const std::string& host, double visible_cpus);
  // A last sample, while its counters are still there.
  void end(const std::string& host);
  // Samples every running host if a second has passed.
  void tick();
  std::optional<MonotonicTime> next_tick() const;
  std::vector<jobs::InstanceUsage> totals() const { return meter_.totals(); }

 private:
  void sample(const std::string& host);

  sandbox::Sandbox& instances_;
  SampleLog& log_;
  const Clock& clock_;
  metrics::UsageMeter meter_;
  std::set<std::string> running_;
  MonotonicTime due_{};
};

}  // namespace evener::backends
