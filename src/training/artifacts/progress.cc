#include "training/artifacts/progress.h"

namespace evener::artifacts {
namespace {
constexpr std::chrono::nanoseconds kReportEvery = std::chrono::milliseconds(100);
}

ProgressMeter::ProgressMeter(const ProgressSink& sink, std::uint64_t total_bytes)
    : sink_(sink),
      total_(total_bytes),
      next_report_((clock_.monotonic_now() + kReportEvery).time_since_epoch().count()) {}

void ProgressMeter::add(std::uint64_t bytes) {
  const std::uint64_t done = done_.fetch_add(bytes) + bytes;
  if (!sink_) return;
  const auto now = clock_.monotonic_now();
  std::int64_t due = next_report_.load();
  if (now.time_since_epoch().count() < due) return;
  // Whoever moves the due time on is the one that reports.
  if (next_report_.compare_exchange_strong(due, (now + kReportEvery).time_since_epoch().count()))
    sink_(done, total_);
}

void ProgressMeter::finish() {
  if (sink_) sink_(done_.load(), total_);
}

}  // namespace evener::artifacts
