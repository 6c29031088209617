// Use of CPU and memory per instance and second, progress of staging and packing, and their
// totals.
//
// Used by:  backends/local (SampleWriter in the supervisor), apps (live table, summary).
// Threads:  values of one thread.
// Fails:    a sample that cannot be written is dropped; the job goes on.
// Format:   formats/samples.md: one JSON object a line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "training/jobs/jobs.h"

namespace evener::metrics {

// Counters of one instance at one moment, as the sandbox reads them.
struct Counters {
  std::uint64_t cpu_nanos = 0;          // CPU time used since its start
  std::uint64_t memory_bytes = 0;
  std::uint64_t memory_peak_bytes = 0;
};

struct Sample {
  WallTime time;
  std::string host;
  double cpu_percent = 0;               // 100 per vCPU, over the interval before `time`
  std::uint64_t memory_bytes = 0;
};

struct Progress {
  WallTime time;
  std::string phase;                    // "staging" or "packing"
  std::uint64_t done_bytes = 0;
  std::uint64_t total_bytes = 0;
};

// Turns counters into samples and totals. Pure but for the caller's clock.
class UsageMeter {
 public:
  // Counters before the first interval.
  void begin(const std::string& host, double visible_cpus, Counters counters, MonotonicTime now);
  Sample sample(const std::string& host, Counters counters, MonotonicTime now, WallTime wall);
  // Over the whole time since begin(); a last partial interval counts by its length.
  std::vector<jobs::InstanceUsage> totals() const;

 private:
  struct Host {
    std::string name;
    double visible_cpus = 0;
    Counters first, last;
    MonotonicTime first_time, last_time;
    double max_percent = 0;
    std::uint64_t peak_bytes = 0;
  };
  std::vector<Host> hosts_;
};

class SampleWriter {
 public:
  virtual ~SampleWriter() = default;
  virtual void write(const Sample& sample) = 0;
  virtual void write(const Progress& progress) = 0;
};
Result<std::unique_ptr<SampleWriter>> make_sample_writer(const std::filesystem::path& file);

// Follows the file of a running job: each call gives what is new since the last.
struct Live {
  std::vector<Sample> samples;
  std::vector<Progress> progress;
};
class SampleReader {
 public:
  explicit SampleReader(std::filesystem::path file) : file_(std::move(file)) {}
  Live poll();

 private:
  std::filesystem::path file_;
  std::uint64_t offset_ = 0;
};

// Reads what a program wrote to /opt/ml/output/metrics/sagemaker/*.json (one JSON object a line:
// MetricName, Value, Timestamp, IterationNumber): the share of its step time that it waited for
// input, from the sums of `input_wait_seconds` and `step_seconds`. Nothing if it wrote neither.
std::optional<double> input_wait_fraction(const std::filesystem::path& metrics_folder);

}  // namespace evener::metrics
