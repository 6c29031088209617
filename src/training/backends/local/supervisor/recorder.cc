#include "training/backends/local/supervisor/recorder.h"

#include <variant>

#include "base/log.h"

namespace evener::backends {
namespace {

// Facts that cannot be found out again are on the disk before anyone acts on them.
JournalSync sync_for(const jobs::JobChange& change) {
  const bool matters = std::holds_alternative<jobs::InstanceExited>(change) ||
                       std::holds_alternative<jobs::StopRequested>(change) ||
                       std::holds_alternative<jobs::ArtifactsStored>(change) ||
                       std::holds_alternative<jobs::Ended>(change);
  return matters ? JournalSync::kNow : JournalSync::kLater;
}

}  // namespace

Recorder::Recorder(jobs::TrainingJob job, JournalWriter& journal, const Clock& clock)
    : job_(std::move(job)), journal_(journal), clock_(clock) {
  for (const jobs::JobEvent& event : journal.earlier()) {
    records_.push_back(jobs::to_json(event));
    if (auto applied = jobs::apply(job_, event); !applied) {
      log_line(LogLevel::kWarning, "local", "an earlier event does not fit",
               {{"error", applied.error().message}});
    }
  }
}

void Recorder::record(jobs::JobChange change) {
  const jobs::JobEvent event{.job = job_.spec.name,
                             .time = clock_.wall_now(),
                             .journal_position = records_.size() + 1,
                             .change = std::move(change)};
  const std::string json = jobs::to_json(event);
  if (auto applied = jobs::apply(job_, event); !applied) {
    log_line(LogLevel::kError, "local", "event left out",
             {{"event", json}, {"error", applied.error().message}});
    return;
  }
  records_.push_back(json);
  journal_.append(json, sync_for(event.change));
  if (!journal_.everything_written()) {
    log_line(LogLevel::kError, "local", "journal not written, kept in memory",
             {{"error", journal_.trouble()}});
  }
  if (listener_) listener_(records_.back());
}

}  // namespace evener::backends
