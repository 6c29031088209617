#include "evener/job_follower.h"

#include <utility>

namespace evener::app {
namespace {

Status apply_all(std::span<const jobs::JobEvent> events, jobs::TrainingJob& job) {
  for (const auto& event : events) RETURN_IF_ERROR(jobs::apply(job, event));
  return ok();
}

}  // namespace

Result<std::unique_ptr<JobFollower>> JobFollower::open(JobSource& source, const std::string& job) {
  auto feed = source.follow(job);
  if (!feed) return tl::unexpected(feed.error());
  auto first = (*feed)->poll();
  if (!first) return tl::unexpected(first.error());
  if (first->events.empty()) return failure(ErrorCode::kNotFound, "no job " + job);
  auto created = jobs::create(first->events.front());
  if (!created) return tl::unexpected(created.error());
  RETURN_IF_ERROR(apply_all(std::span(first->events).subspan(1), *created));
  return std::unique_ptr<JobFollower>(
      new JobFollower(std::move(*feed), std::move(*created), std::move(*first)));
}

Result<JobUpdate> JobFollower::poll() {
  if (first_) return *std::exchange(first_, std::nullopt);
  auto update = feed_->poll();
  if (update) RETURN_IF_ERROR(apply_all(update->events, job_));
  return update;
}

}  // namespace evener::app
