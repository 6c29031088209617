// The rules of one job's life: which event is legal when, and what it changes.
//
// A stop may be asked for at any time before the end, by a process that does not know what the
// job's supervisor has journaled meanwhile. So facts of the supervisor stay legal while a job is
// Stopping; they then change what is known, not the secondary status.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/document.h"
#include "base/utf8.h"
#include "training/jobs/jobs.h"
#include "training/jobs/outcome.h"

namespace evener::jobs {
namespace {

constexpr std::string_view kStartingMessage = "Starting the training job";
constexpr std::string_view kPendingMessage = "waiting for capacity";
constexpr std::string_view kLaunchingMessage = "Launching requested ML instances";
constexpr std::string_view kDownloadingMessage = "Downloading input data";
constexpr std::string_view kTrainingMessage =
    "Training image download completed. Training in progress.";
constexpr std::string_view kUploadingMessage = "Uploading generated training model";
constexpr std::string_view kStoppingMessage = "Stopping the training job";

// The request with members replaced; those of ResourceConfig one by one.
Result<std::string> with_members(std::string_view request_json, std::string_view members_json) {
  Result<document::Value> request = document::read(request_json);
  if (!request) return tl::unexpected(request.error());
  const Result<document::Value> members = document::read(members_json);
  if (!members) return tl::unexpected(members.error());
  for (const document::Member& member : members->members) {
    document::Value* resources = request->find("ResourceConfig");
    if (member.name == "ResourceConfig" && resources != nullptr) {
      for (const document::Member& part : member.value.members)
        resources->set(part.name, part.value);
    } else {
      request->set(member.name, member.value);
    }
  }
  return document::write(*request);
}

// Takes one event in; every member function of the same name as an event is one row of the
// legality table. A row that refuses has changed nothing.
class Applier {
 public:
  Applier(TrainingJob& job, WallTime time) : job_(job), time_(time) {}

  Status operator()(const Submitted&) { return refuse("it exists already"); }

  Status operator()(const PendingReasonChanged& change) {
    if (job_.ended() || job_.launched || job_.stop) return refuse("it does not wait for capacity");
    job_.pending_reason = change.reason;
    enter(SecondaryStatus::kPending,
          change.reason.empty() ? kPendingMessage : std::string_view(change.reason));
    return ok();
  }

  Status operator()(const Launching& change) {
    if (job_.ended() || job_.launched || job_.stop) return refuse("it does not wait for a launch");
    RETURN_IF_ERROR(check_placements(change));
    job_.launched = time_;
    job_.pending_reason.clear();
    for (const InstancePlacement& placement : change.instances)
      job_.instances.push_back({.placement = placement, .exit = std::nullopt});
    enter(SecondaryStatus::kStarting, kLaunchingMessage);
    return ok();
  }

  Status operator()(const StatusMessageChanged& change) {
    if (job_.ended()) return refuse("it has ended");
    job_.transitions.back().message = change.message;
    return ok();
  }

  Status operator()(const StagingStarted&) {
    RETURN_IF_ERROR(check_running());
    if (!stopping() && job_.secondary != SecondaryStatus::kStarting)
      return refuse("input is staged only while it is Starting");
    if (!job_.training_start) job_.training_start = time_;
    if (!stopping()) enter(SecondaryStatus::kDownloading, kDownloadingMessage);
    return ok();
  }

  Status operator()(const ChannelsStaged& change) {
    RETURN_IF_ERROR(check_running());
    if (!stopping() && job_.secondary != SecondaryStatus::kDownloading)
      return refuse("channels are staged only while it is Downloading");
    job_.channels = change.channels;
    return ok();
  }

  Status operator()(const TrainingStarted&) {
    RETURN_IF_ERROR(check_running());
    if (!stopping() && job_.secondary != SecondaryStatus::kStarting &&
        job_.secondary != SecondaryStatus::kDownloading)
      return refuse("training starts only after Starting or Downloading");
    if (!job_.training_start) job_.training_start = time_;
    if (!stopping()) enter(SecondaryStatus::kTraining, kTrainingMessage);
    return ok();
  }

  Status operator()(const InstanceExited& change) {
    RETURN_IF_ERROR(check_running());
    if (job_.secondary == SecondaryStatus::kUploading)
      return refuse("every instance has ended already");
    const auto found = std::ranges::find_if(job_.instances, [&](const Instance& instance) {
      return instance.placement.host == change.host;
    });
    if (found == job_.instances.end()) return refuse("it has no host " + change.host);
    if (found->exit) return refuse("host " + change.host + " has ended already");
    found->exit = change.exit;
    return ok();
  }

  Status operator()(const StopRequested& change) {
    if (job_.ended()) return refuse_request();
    if (job_.stop) {  // the first cause stays; only the haste may grow
      job_.stop->at_once = job_.stop->at_once || change.at_once;
      return ok();
    }
    job_.stop = change;
    job_.status = JobStatus::kStopping;
    job_.pending_reason.clear();
    if (job_.secondary != SecondaryStatus::kUploading)
      enter(SecondaryStatus::kStopping, kStoppingMessage);
    return ok();
  }

  Status operator()(const UploadingStarted&) {
    RETURN_IF_ERROR(check_running());
    if (job_.secondary == SecondaryStatus::kUploading) return refuse("it is Uploading already");
    for (const Instance& instance : job_.instances)
      if (!instance.exit) return refuse("host " + instance.placement.host + " still runs");
    enter(SecondaryStatus::kUploading, kUploadingMessage);
    return ok();
  }

  Status operator()(const ArtifactsStored& change) {
    if (may_be_stored_late()) {
      job_.artifacts = change.artifacts;
      return ok();
    }
    RETURN_IF_ERROR(check_running());
    if (job_.secondary != SecondaryStatus::kUploading)
      return refuse("artifacts are stored only while it is Uploading");
    job_.artifacts = change.artifacts;
    return ok();
  }

  Status operator()(const UsageReported& change) {
    RETURN_IF_ERROR(check_running());
    job_.usage = change.instances;
    return ok();
  }

  Status operator()(const Noticed& change) {
    job_.notices.push_back(change.notice);
    return ok();
  }

  Status operator()(const Ended& change) {
    if (job_.ended()) return refuse("it has ended");
    RETURN_IF_ERROR(check_end(change));
    job_.status = change.status;
    job_.failure_reason = cut_utf8(change.failure_reason, kFailureReasonBytes);
    job_.pending_reason.clear();
    enter(change.secondary, end_message(change));
    job_.transitions.back().end = time_;
    if (job_.training_start) job_.training_end = billing_end(change);
    return ok();
  }

  Status operator()(const Deleted&) {
    if (!job_.ended()) return refuse("only a job that has ended can be deleted");
    job_.deleted = true;
    return ok();
  }

  Status operator()(const MetricsReported& change) {
    RETURN_IF_ERROR(check_running());
    if (change.metrics.size() > kMostFinalMetrics) return refuse("too many metrics");
    if (!std::ranges::all_of(change.metrics, [](const auto& m) { return std::isfinite(m.value); }))
      return refuse("a metric is no number");
    job_.final_metrics = change.metrics;
    return ok();
  }

  Status operator()(const TagsChanged& change) {
    std::map<std::string, std::string> tags = job_.spec.tags;
    for (const std::string& key : change.removed) tags.erase(key);
    for (const auto& [key, value] : change.set) tags[key] = value;
    if (tags.size() > kMostTags)
      return failure(ErrorCode::kLimitExceeded,
                     "job " + job_.spec.name + " would have " + std::to_string(tags.size()) +
                         " tags; at most " + std::to_string(kMostTags) + " are allowed");
    job_.spec.tags = std::move(tags);
    return ok();
  }

  Status operator()(const Updated& change) {
    if (job_.ended()) return refuse_request();
    auto merged = with_members(job_.spec.request_json, change.members_json);
    if (!merged) return refuse(merged.error().message);
    job_.spec.request_json = std::move(*merged);
    return ok();
  }

 private:
  Status refuse(std::string_view why) const {
    return failure(ErrorCode::kInvalidArgument,
                   "job " + job_.spec.name + " (" + std::string(to_string(job_.secondary)) +
                       ") does not allow this event: " + std::string(why));
  }

  // As the service words it.
  Status refuse_request() const {
    return failure(ErrorCode::kInvalidArgument,
                   "The request was rejected because the training job is in status " +
                       std::string(to_string(job_.status)) + ".");
  }

  bool stopping() const { return job_.stop.has_value(); }

  // What a failed upload left behind may be stored once the job has ended.
  bool may_be_stored_late() const {
    const bool unstored = job_.artifacts.model_uri.empty() && job_.artifacts.output_uri.empty();
    return job_.ended() && !job_.deleted && job_.status != JobStatus::kCompleted && unstored;
  }

  Status check_running() const {
    if (job_.ended()) return refuse("it has ended");
    if (!job_.launched) return refuse("it has not been launched");
    return ok();
  }

  Status check_placements(const Launching& change) const {
    if (change.instances.empty()) return refuse("it needs at least one instance");
    std::vector<std::string_view> hosts;
    for (const InstancePlacement& placement : change.instances) {
      if (placement.group < 0 || std::cmp_greater_equal(placement.group, job_.spec.groups.size()))
        return refuse("host " + placement.host + " is in no group");
      hosts.push_back(placement.host);
    }
    std::ranges::sort(hosts);
    if (std::ranges::adjacent_find(hosts) != hosts.end()) return refuse("two hosts of one name");
    return ok();
  }

  Status check_end(const Ended& change) const {
    switch (change.status) {
      case JobStatus::kCompleted:
        if (change.secondary != SecondaryStatus::kCompleted) break;
        if (job_.secondary != SecondaryStatus::kUploading)
          return refuse("only Uploading leads to Completed");
        return ok();
      case JobStatus::kFailed:
        if (change.secondary != SecondaryStatus::kFailed) break;
        return ok();
      case JobStatus::kStopped:
        if (change.secondary != SecondaryStatus::kStopped &&
            change.secondary != SecondaryStatus::kMaxRuntimeExceeded &&
            change.secondary != SecondaryStatus::kMaxWaitTimeExceeded)
          break;
        if (!job_.stop) return refuse("nobody asked it to stop");
        return ok();
      case JobStatus::kInProgress:
      case JobStatus::kStopping:
      case JobStatus::kDeleting:
        break;
    }
    return refuse("no job ends as " + std::string(to_string(change.status)) + "/" +
                  std::string(to_string(change.secondary)));
  }

  static std::string_view end_message(const Ended& change) {
    if (change.status == JobStatus::kCompleted) return "Training job completed";
    if (change.status == JobStatus::kFailed) return "Training job failed";
    if (change.secondary == SecondaryStatus::kMaxRuntimeExceeded)
      return "Training job stopped: it ran as long as MaxRuntimeInSeconds allows";
    if (change.secondary == SecondaryStatus::kMaxWaitTimeExceeded)
      return "Training job stopped: it waited as long as MaxWaitTimeInSeconds allows";
    return "Training job stopped";
  }

  // A failed job is billed up to the moment its first failure was seen.
  WallTime billing_end(const Ended& change) const {
    if (change.status != JobStatus::kFailed) return time_;
    const Instance* failed = first_failure(job_);
    if (!failed) return time_;
    return std::clamp(failed->exit->time, *job_.training_start, time_);
  }

  // A new status closes the last transition and opens one; the same status changes its text.
  void enter(SecondaryStatus status, std::string_view message) {
    job_.secondary = status;
    Transition& last = job_.transitions.back();
    if (last.status == status) {
      last.message = message;
      return;
    }
    last.end = time_;
    job_.transitions.push_back(
        {.status = status, .start = time_, .end = std::nullopt, .message = std::string(message)});
  }

  TrainingJob& job_;
  const WallTime time_;
};

}  // namespace

bool TrainingJob::ended() const {
  return status == JobStatus::kCompleted || status == JobStatus::kFailed ||
         status == JobStatus::kStopped;
}

JobSummary summary_of(const TrainingJob& job) {
  return {.name = job.spec.name, .arn = job.arn, .status = job.status, .secondary = job.secondary,
          .created = job.created, .last_modified = job.last_modified,
          .training_end = job.training_end};
}

Result<TrainingJob> create(const JobEvent& event) {
  const auto* submitted = std::get_if<Submitted>(&event.change);
  if (!submitted)
    return failure(ErrorCode::kInvalidArgument, "job " + event.job + " does not exist");
  if (submitted->spec.groups.empty())
    return failure(ErrorCode::kInvalidArgument, "job " + event.job + " has no instance group");
  TrainingJob job;
  job.spec = submitted->spec;
  job.arn = submitted->arn;
  job.created = event.time;
  job.last_modified = event.time;
  job.imported_position = event.journal_position;
  job.transitions.push_back({.status = SecondaryStatus::kStarting,
                             .start = event.time,
                             .end = std::nullopt,
                             .message = std::string(kStartingMessage)});
  return job;
}

Status apply(TrainingJob& job, const JobEvent& event) {
  if (event.journal_position != 0 && event.journal_position <= job.imported_position) return ok();
  if (job.deleted)
    return failure(ErrorCode::kInvalidArgument, "job " + job.spec.name + " has been deleted");
  const WallTime time = std::max(event.time, job.last_modified);
  RETURN_IF_ERROR(std::visit(Applier(job, time), event.change));
  if (!std::holds_alternative<TagsChanged>(event.change)) job.last_modified = time;
  job.imported_position = std::max(job.imported_position, event.journal_position);
  return ok();
}

}  // namespace evener::jobs
