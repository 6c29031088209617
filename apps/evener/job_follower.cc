#include "evener/job_follower.h"

#include <utility>

#include "training/backends/local/job_folder/job_folder.h"

namespace evener::app {
namespace {

constexpr std::size_t kEventsPerPoll = 4096;
constexpr std::size_t kLinesPerPoll = 20'000;

}  // namespace

JobFollower::JobFollower(const Home& home, store::Store& store, jobs::TrainingJob job,
                         std::int64_t row)
    : home_(home),
      store_(store),
      job_(std::move(job)),
      row_(row),
      samples_(backends::job_folder(home.root, job_.spec.name).samples()) {}

Result<std::unique_ptr<JobFollower>> JobFollower::open(const Home& home, store::Store& store,
                                                       const std::string& job) {
  auto events = store.events_of(job);
  if (!events) return tl::unexpected(events.error());
  if (events->empty()) return failure(ErrorCode::kNotFound, "there is no job '" + job + "'");
  auto created = jobs::create(events->front().event);
  if (!created) return tl::unexpected(created.error());
  std::unique_ptr<JobFollower> follower(
      new JobFollower(home, store, std::move(*created), events->front().row));
  follower->first_events_.push_back(std::move(events->front().event));
  return follower;
}

Status JobFollower::read_events(JobUpdate& update) {
  for (auto& event : std::exchange(first_events_, {})) update.events.push_back(std::move(event));
  auto events = store_.events_after(row_, kEventsPerPoll);
  if (!events) return tl::unexpected(events.error());
  for (auto& stored : *events) {
    row_ = stored.row;
    if (stored.event.job != job_.spec.name) continue;
    RETURN_IF_ERROR(jobs::apply(job_, stored.event));
    update.events.push_back(std::move(stored.event));
  }
  return ok();
}

void JobFollower::read_lines(JobUpdate& update) {
  const auto folder = backends::job_folder(home_.root, job_.spec.name).logs();
  for (const auto& instance : job_.instances) {
    const std::string& host = instance.placement.host;
    auto& reader = readers_[host];
    if (!reader) {
      auto opened = logs::open_log(folder, host);
      if (!opened) continue;  // not begun
      reader = std::move(*opened);
    }
    auto lines = reader->read(kLinesPerPoll);
    if (!lines) continue;
    const std::string& group = jobs::group_of(job_.spec, instance.placement).name;
    for (auto& line : *lines)
      update.lines.push_back({.host = host, .group = group, .line = std::move(line)});
  }
}

Result<JobUpdate> JobFollower::poll() {
  JobUpdate update;
  // Events first: a line that was written before the end is then always read before an empty
  // update says that nothing is left.
  RETURN_IF_ERROR(read_events(update));
  read_lines(update);
  update.live = samples_.poll();
  return update;
}

}  // namespace evener::app
