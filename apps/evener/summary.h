// What a job came to: seconds per phase, use and cost per group, where the results are, and who
// waited for whom.
//
// Used by:  train, jobs show.
// Threads:  pure functions.
// Fails:    never.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advice/cost/cost.h"
#include "advice/diagnosis/diagnosis.h"
#include "base/clock.h"
#include "training/jobs/jobs.h"

namespace evener::app {

struct GroupSummary {
  std::string name;
  std::string type;
  int count = 0;
  double cpu_percent_mean = 0;        // mean of its instances, 100 per vCPU
  double cpu_percent_max = 0;         // highest sample of any
  double visible_cpus = 0;            // per instance
  std::uint64_t memory_peak_bytes = 0;
  std::optional<double> input_wait_fraction = std::nullopt;
  std::int64_t billable_seconds = 0;  // per instance
  std::optional<double> usd = std::nullopt;
  std::string price_note = {};
  std::string price_source = {};
};

struct JobSummary {
  std::string job;
  jobs::JobStatus status = jobs::JobStatus::kInProgress;
  std::string failure_reason;
  jobs::PhaseSeconds phases;
  std::vector<GroupSummary> groups;
  std::optional<double> usd;
  std::string region;
  std::string verdict;
  std::uint64_t bytes_staged = 0;
  std::uint64_t bytes_copied = 0;
  jobs::ArtifactReport artifacts;
  std::vector<jobs::MetricValue> metrics;   // the last value of each
  std::vector<std::string> notices;
};

// What each group of a job used, to be priced.
std::vector<cost::GroupUse> group_uses(const jobs::TrainingJob& job);

// `cost`: of group_uses(job), in their order.
JobSummary summarize(const jobs::TrainingJob& job, const cost::JobCost& cost,
                     const std::string& region, WallTime now);

// For people: a few lines of text.
std::vector<std::string> summary_lines(const JobSummary& summary);
// {"event":"summary","job":...,"status":...,"phases":{...},"groups":[...],"usd":...,"artifacts":...}
std::string summary_json(const JobSummary& summary);

}  // namespace evener::app
