#include "evener/live_table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/byte_size.h"
#include "evener/text_table.h"
#include "training/scheduling/scheduling.h"

namespace evener::app {
namespace {

constexpr std::size_t kBarCells = 16;

std::string percent(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%3.0f %%", value);
  return text;
}

std::string headline(const jobs::TrainingJob& job, WallTime now) {
  std::string line = job.spec.name + "  " + std::string(to_string(job.status)) + " / " +
                     std::string(to_string(job.secondary)) + "  " +
                     format_duration(now - job.created);
  if (const auto reason = scheduling::reason_to_wait(job); !reason.empty()) line += "  " + reason;
  return line;
}

std::string host_state(const jobs::Instance& instance, const jobs::TrainingJob& job) {
  if (!instance.exit) return std::string(to_string(job.secondary));
  if (!instance.exit->start_error.empty()) return "could not start";
  return "exit " + std::to_string(instance.exit->exit_code);
}

// CPU percent of an instance that does all it can: its type's vCPUs at the job's scale, or the
// machine's CPUs where those are fewer.
double full_percent(const jobs::JobSpec& spec, const jobs::InstanceGroup& group,
                    const LiveState& state) {
  double cpus = std::max(1, group.shape.vcpus);
  if (spec.fit == jobs::Fit::kScaled) cpus *= spec.fit_scale;
  if (state.machine_cpus > 0) cpus = std::min(cpus, state.machine_cpus);
  return 100.0 * cpus;
}

std::vector<std::string> host_row(const jobs::Instance& instance, const jobs::TrainingJob& job,
                                  const LiveState& state) {
  const auto& group = jobs::group_of(job.spec, instance.placement);
  std::vector<std::string> row = {instance.placement.host, group.name, group.instance_type,
                                  host_state(instance, job)};
  const auto sample = state.last_samples.find(instance.placement.host);
  if (sample == state.last_samples.end()) return row;
  row.push_back(bar(sample->second.cpu_percent / full_percent(job.spec, group, state), kBarCells) + " " +
                percent(sample->second.cpu_percent));
  row.push_back(format_bytes(sample->second.memory_bytes));
  return row;
}

std::string progress_line(const metrics::Progress& progress) {
  const double fraction =
      progress.total_bytes == 0
          ? 1.0
          : static_cast<double>(progress.done_bytes) / static_cast<double>(progress.total_bytes);
  return progress.phase + "  " + bar(fraction, 2 * kBarCells) + " " +
         format_bytes(progress.done_bytes) + " of " + format_bytes(progress.total_bytes);
}

// Only the phase that runs is worth a bar.
std::string_view phase_with_progress(jobs::SecondaryStatus status) {
  if (status == jobs::SecondaryStatus::kDownloading) return "staging";
  if (status == jobs::SecondaryStatus::kUploading) return "packing";
  return "";
}

}  // namespace

std::string bar(double fraction, std::size_t cells) {
  constexpr const char* kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double clamped = std::isfinite(fraction) ? std::clamp(fraction, 0.0, 1.0) : 0.0;
  const auto eighths = static_cast<std::size_t>(std::lround(clamped * static_cast<double>(cells) * 8));
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i) text += "█";
  text += kEighths[eighths % 8];
  const std::size_t drawn = eighths / 8 + (eighths % 8 != 0 ? 1 : 0);
  text.append(cells - drawn, ' ');
  return text;
}

std::vector<std::string> render_live_table(const jobs::TrainingJob& job, const LiveState& state,
                                           WallTime now, std::size_t width, std::size_t max_rows) {
  std::vector<std::string> lines = {headline(job, now)};
  TextTable table({"host", "group", "type", "state", "cpu (100 % per vCPU)", "memory"});
  const std::size_t shown = std::min(job.instances.size(), max_rows);
  for (std::size_t i = 0; i < shown; ++i) table.add(host_row(job.instances[i], job, state));
  for (auto& line : table.lines()) lines.push_back(std::move(line));
  if (shown < job.instances.size())
    lines.push_back("… and " + std::to_string(job.instances.size() - shown) + " more hosts");
  const auto progress = state.progress.find(std::string(phase_with_progress(job.secondary)));
  if (progress != state.progress.end()) lines.push_back(progress_line(progress->second));
  for (auto& line : lines) line = fit_width(line, width);
  return lines;
}

}  // namespace evener::app
