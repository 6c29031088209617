// Use of CPU and memory per instance and second, progress of staging and packing, and their
// totals; points of the job's own metrics (points.h).
//
// Used by:  backends/local (SampleWriter in the supervisor), apps (live table, summary),
//           control_plane/cloudwatch.
// Threads:  values of one thread.
// Fails:    a sample that cannot be written is dropped; the job goes on. Lines that are no
//           samples are passed over.
// Format:   formats/samples.md: one JSON object a line.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "training/jobs/jobs.h"
#include "training/metrics/points.h"

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

// A shorter interval does not count for cpu_percent_max, whose samples are of one second.
inline constexpr std::chrono::milliseconds kMinPeakInterval{500};

// Turns counters into samples and totals. Pure but for the caller's clock. CPU time that goes
// back (counters read anew, or a cgroup made anew) counts as none in that interval.
class UsageMeter {
 public:
  // Counters before the first interval; once a host.
  void begin(const std::string& host, double visible_cpus, Counters counters, MonotonicTime now);
  // A host that was not begun begins here, with a sample of zero.
  Sample sample(const std::string& host, Counters counters, MonotonicTime now, WallTime wall);
  // Over the whole time since begin(); a last partial interval counts by its length.
  std::vector<jobs::InstanceUsage> totals() const;

 private:
  struct Host {
    std::string name;
    double visible_cpus = 0;
    std::uint64_t last_cpu_nanos = 0;
    std::uint64_t used_nanos = 0;
    MonotonicTime first_time, last_time;
    double max_percent = 0;
    std::uint64_t peak_bytes = 0;
  };
  Host* find(const std::string& host);

  std::vector<Host> hosts_;
};

// The file stays below this. Past half of it only the mean of every 10 samples of a host is
// written, past three quarters of every 100.
inline constexpr std::uint64_t kMaxSampleFileBytes = 64ull << 20;

class SampleWriter {
 public:
  virtual ~SampleWriter() = default;
  virtual void write(const Sample& sample) = 0;
  virtual void write(const Progress& progress) = 0;
};
// Continues a file that is there.
Result<std::unique_ptr<SampleWriter>> make_sample_writer(
    const std::filesystem::path& file, std::uint64_t limit_bytes = kMaxSampleFileBytes);

// Follows the file of a running job: each call gives what is new since the last.
struct Live {
  std::vector<Sample> samples;
  std::vector<Progress> progress;
};
class SampleReader {
 public:
  // From that byte of the file on.
  explicit SampleReader(std::filesystem::path file, std::uint64_t offset = 0)
      : file_(std::move(file)), offset_(offset) {}
  // Reads on until there are so many, or the present end.
  Live poll(std::size_t most = SIZE_MAX);
  std::uint64_t offset() const { return offset_; }

 private:
  std::filesystem::path file_;
  std::uint64_t offset_;
};

// Every sample within `range`, about in the order of time; none where there is no file.
void read_samples(const std::filesystem::path& file, const TimeRange& range,
                  const std::function<Reading(const Sample&)>& take);

// Reads what a program wrote to /opt/ml/output/metrics/sagemaker/*.json (one JSON object a line:
// MetricName, Value, Timestamp, IterationNumber): the share of its step time that it waited for
// input, from the sums of `input_wait_seconds` and `step_seconds`, 0..1. Nothing unless it wrote
// both. The folder belongs to the program: links and special files are not opened, and no more
// is read than the limits of input_wait_json.cc allow.
std::optional<double> input_wait_fraction(const std::filesystem::path& metrics_folder);

}  // namespace evener::metrics
