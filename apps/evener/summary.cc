#include "evener/summary.h"

#include <algorithm>
#include <cstdio>

#include "base/byte_size.h"
#include "evener/text_table.h"

namespace evener::app {
namespace {

std::vector<GroupSummary> group_summaries(const jobs::TrainingJob& job) {
  std::vector<GroupSummary> groups;
  for (const auto& group : job.spec.groups)
    groups.push_back({.name = group.name,
                      .type = group.instance_type,
                      .count = group.count,
                      .billable_seconds = jobs::billable_seconds(job).value_or(0)});
  std::vector<int> reports(groups.size()), waits(groups.size());
  std::vector<double> wait_sums(groups.size());
  for (const auto& usage : job.usage) {
    for (const auto& instance : job.instances) {
      if (instance.placement.host != usage.host) continue;
      const auto index = static_cast<std::size_t>(instance.placement.group);
      GroupSummary& group = groups[index];
      group.cpu_percent_mean += usage.cpu_percent_mean;
      group.cpu_percent_max = std::max(group.cpu_percent_max, usage.cpu_percent_max);
      group.visible_cpus = std::max(group.visible_cpus, usage.visible_cpus);
      group.memory_peak_bytes = std::max(group.memory_peak_bytes, usage.memory_peak_bytes);
      ++reports[index];
      if (usage.input_wait_fraction) {
        wait_sums[index] += *usage.input_wait_fraction;
        ++waits[index];
      }
    }
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (reports[i] > 0) groups[i].cpu_percent_mean /= reports[i];
    if (waits[i] > 0) groups[i].input_wait_fraction = wait_sums[i] / waits[i];
  }
  return groups;
}

void add_cost(JobSummary& summary, const cost::JobCost& cost) {
  for (std::size_t i = 0; i < std::min(summary.groups.size(), cost.groups.size()); ++i) {
    summary.groups[i].usd = cost.groups[i].usd;
    summary.groups[i].price_note = cost.groups[i].price_note;
    summary.groups[i].price_source = cost.groups[i].price_source;
  }
  summary.usd = cost.usd;
}

std::string verdict_of(const JobSummary& summary, const jobs::JobSpec& spec) {
  std::vector<diagnosis::GroupEvidence> evidence;
  for (std::size_t i = 0; i < summary.groups.size(); ++i) {
    const auto& group = summary.groups[i];
    evidence.push_back({.group = group.name, .auxiliary = spec.groups[i].auxiliary,
                        .instances = group.count, .cpu_percent_mean = group.cpu_percent_mean,
                        .visible_cpus = group.visible_cpus,
                        .input_wait_fraction = group.input_wait_fraction});
  }
  return diagnosis::diagnose(evidence, summary.phases.training).line;
}

std::string number(double value, int decimals) {
  char text[48];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string phase_line(const jobs::PhaseSeconds& phases) {
  std::string line = "phases      ";
  if (phases.pending > 0) line += "pending " + number(phases.pending, 2) + " s, ";
  line += "starting " + number(phases.starting, 2) + " s, downloading " +
          number(phases.downloading, 2) + " s, training " + number(phases.training, 2) + " s, ";
  if (phases.stopping > 0) line += "stopping " + number(phases.stopping, 2) + " s, ";
  return line + "uploading " + number(phases.uploading, 2) + " s; total " +
         number(phases.total, 2) + " s";
}

std::string metric_line(const std::vector<jobs::MetricValue>& metrics) {
  constexpr std::size_t kShown = 8;
  std::string line = "metrics     ";
  for (std::size_t i = 0; i < std::min(metrics.size(), kShown); ++i) {
    char value[48];
    std::snprintf(value, sizeof value, "%.6g", metrics[i].value);
    if (i > 0) line += ", ";
    line += printable(metrics[i].name) + " " + value;
  }
  if (metrics.size() > kShown) line += ", and " + std::to_string(metrics.size() - kShown) + " more";
  return line;
}

}  // namespace

std::vector<cost::GroupUse> group_uses(const jobs::TrainingJob& job) {
  std::vector<cost::GroupUse> uses;
  for (const auto& group : job.spec.groups)
    uses.push_back({group.name, group.instance_type, group.count,
                    jobs::billable_seconds(job).value_or(0)});
  return uses;
}

JobSummary summarize(const jobs::TrainingJob& job, const cost::JobCost& cost,
                     const std::string& region, WallTime now) {
  JobSummary summary;
  summary.job = job.spec.name;
  summary.status = job.status;
  summary.failure_reason = job.failure_reason;
  summary.phases = jobs::phase_seconds(job, now);
  summary.groups = group_summaries(job);
  summary.region = region;
  for (const auto& channel : job.channels) {
    for (const auto& host : channel.hosts) summary.bytes_staged += host.bytes;
    summary.bytes_copied += channel.bytes_copied;
  }
  summary.artifacts = job.artifacts;
  summary.metrics = job.final_metrics;
  summary.notices = job.notices;
  add_cost(summary, cost);
  if (!job.usage.empty()) summary.verdict = verdict_of(summary, job.spec);
  return summary;
}

std::vector<std::string> summary_lines(const JobSummary& summary) {
  std::vector<std::string> lines;
  lines.push_back("job         " + summary.job + ": " + std::string(to_string(summary.status)));
  if (!summary.failure_reason.empty()) lines.push_back("reason      " + summary.failure_reason);
  lines.push_back(phase_line(summary.phases));
  TextTable table({"group", "type", "count", "cpu % mean", "cpu % max", "memory peak",
                   "billable s", "$", "price"});
  for (const auto& group : summary.groups)
    table.add({group.name, group.type, std::to_string(group.count),
               number(group.cpu_percent_mean, 0), number(group.cpu_percent_max, 0),
               format_bytes(group.memory_peak_bytes), std::to_string(group.billable_seconds),
               group.usd ? cost::format_usd(*group.usd) : "-", group.price_note});
  for (auto& line : table.lines()) lines.push_back(std::move(line));
  lines.push_back("cost        " + (summary.usd ? cost::format_usd(*summary.usd)
                                                : std::string("unknown: a group has no price")));
  lines.push_back("staged      " + format_bytes(summary.bytes_staged) + " (" +
                  format_bytes(summary.bytes_copied) + " copied); packed " +
                  format_bytes(summary.artifacts.bytes_read) + " into " +
                  format_bytes(summary.artifacts.bytes_written));
  for (const auto& clash : summary.artifacts.clashes)
    lines.push_back("clash       " + clash.path + ": kept from " + clash.kept +
                    ", other hosts wrote different content");
  if (!summary.metrics.empty()) lines.push_back(metric_line(summary.metrics));
  if (!summary.verdict.empty()) lines.push_back("verdict     " + summary.verdict);
  if (!summary.artifacts.model_uri.empty())
    lines.push_back("model       " + summary.artifacts.model_uri);
  if (!summary.artifacts.output_uri.empty())
    lines.push_back("output      " + summary.artifacts.output_uri);
  return lines;
}

}  // namespace evener::app
