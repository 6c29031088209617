// Create, Stop, Delete, Update and the changes of tags.
#include <algorithm>
#include <set>
#include <utility>

#include "base/ids.h"
#include "training/api/api.h"
#include "training/operations/input.h"
#include "training/operations/operations.h"

namespace evener::operations {
namespace {

jobs::JobEvent event_of(const jobs::TrainingJob& job, jobs::JobChange change, WallTime now) {
  return {.job = job.spec.name, .time = now, .change = std::move(change)};
}

Change one_event(const jobs::TrainingJob& job, jobs::JobChange change, WallTime now) {
  Change one{.events = {event_of(job, std::move(change), now)},
             .answer = document::make_object(),
             .arn = job.arn};
  return one;
}

std::string in_status(const jobs::TrainingJob& job) {
  return "The request was rejected because the training job is in status " +
         std::string(to_string(job.status)) + ".";
}

document::Value arn_answer(std::string_view arn) {
  document::Value answer = document::make_object();
  answer.set("TrainingJobArn", document::make_string(arn));
  return answer;
}

// Keys given twice, and those that the service keeps for itself.
Status check_tags(const std::vector<document::Value>& tags) {
  std::set<std::string_view> seen;
  for (const document::Value& tag : tags) {
    const std::string_view key = tag.text_at("Key");
    if (key.starts_with("aws:"))
      return refused("aws: prefixed tag key names are not allowed for external use.");
    if (!seen.insert(key).second)
      return refused("the tag key '" + std::string(key) + "' is given more than once");
  }
  return ok();
}

std::string too_many_tags() {
  return "A resource has at most " + std::to_string(jobs::kMostTags) + " tags.";
}

Error in_words_of_the_service(const Change& change, const Error& error) {
  switch (error.code) {
    case ErrorCode::kAlreadyExists:
      return {error.code,
              "Training job names must be unique within an AWS account and region, and a training "
              "job with this name already exists (" + change.arn + ")"};
    case ErrorCode::kNotFound: return not_found().value();
    case ErrorCode::kLimitExceeded: return {ErrorCode::kInvalidArgument, too_many_tags()};
    default: return error;
  }
}

}  // namespace

Result<document::Value> answer_of(const Change& change, std::span<const Status> statuses) {
  for (const Status& status : statuses)
    if (!status) return tl::unexpected<Error>(in_words_of_the_service(change, status.error()));
  return change.answer;
}

Result<Change> create_training_job(const document::Value& input, const CreateOptions& options,
                                   WallTime now) {
  auto parsed = api::check_create_training_job(
      input, options.paths == LocalPaths::kAllowed ? api::Places::kThisMachine
                                                   : api::Places::kService);
  if (!parsed) return tl::unexpected<Error>(parsed.error());
  RETURN_IF_ERROR(check_tags(input.items_at("Tags")));
  jobs::JobSpec& spec = parsed->spec;
  if (options.complete) RETURN_IF_ERROR(options.complete(spec, parsed->notices));
  Change change;
  change.arn = training_job_arn(options.region, options.account, spec.name);
  change.answer = arn_answer(change.arn);
  const std::string name = spec.name;
  change.events.push_back(
      {.job = name, .time = now, .change = jobs::Submitted{std::move(spec), change.arn}});
  for (std::string& notice : parsed->notices)
    change.events.push_back({.job = name, .time = now, .change = jobs::Noticed{std::move(notice)}});
  return change;
}

Result<Change> stop_training_job(store::Store& store, const document::Value& input, WallTime now) {
  RETURN_IF_ERROR(check("StopTrainingJob", input));
  const auto job = job_named(store, input.text_at("TrainingJobName"));
  if (!job) return tl::unexpected<Error>(job.error());
  if (job->ended()) return refused(in_status(*job));
  return one_event(*job, jobs::StopRequested{}, now);
}

Result<Change> delete_training_job(store::Store& store, const document::Value& input,
                                   WallTime now) {
  RETURN_IF_ERROR(check("DeleteTrainingJob", input));
  const auto job = job_named(store, input.text_at("TrainingJobName"));
  if (!job) return tl::unexpected<Error>(job.error());
  if (!job->ended()) return failure(ErrorCode::kAlreadyExists, in_status(*job));
  return one_event(*job, jobs::Deleted{}, now);
}

Result<Change> update_training_job(store::Store& store, const document::Value& input,
                                   WallTime now) {
  RETURN_IF_ERROR(check("UpdateTrainingJob", input));
  const auto job = job_named(store, input.text_at("TrainingJobName"));
  if (!job) return tl::unexpected<Error>(job.error());
  if (job->ended()) return refused(in_status(*job));
  document::Value members = document::make_object();
  for (const document::Member& member : input.members)
    if (member.name != "TrainingJobName") members.members.push_back(member);
  Change change = one_event(*job, jobs::Updated{document::write(members)}, now);
  change.answer = arn_answer(job->arn);
  return change;
}

Result<Change> add_tags(store::Store& store, const document::Value& input, WallTime now) {
  RETURN_IF_ERROR(check("AddTags", input));
  RETURN_IF_ERROR(check_tags(input.items_at("Tags")));
  const auto job = job_of_arn(store, input.text_at("ResourceArn"));
  if (!job) return tl::unexpected<Error>(job.error());
  jobs::TagsChanged added;
  for (const document::Value& tag : input.items_at("Tags"))
    added.set[std::string(tag.text_at("Key"))] = tag.text_at("Value");
  std::map<std::string, std::string> tags = added.set;
  tags.insert(job->spec.tags.begin(), job->spec.tags.end());
  if (tags.size() > jobs::kMostTags) return refused(too_many_tags());
  Change change = one_event(*job, std::move(added), now);
  change.answer.set("Tags", tags_document(tags));
  return change;
}

Result<Change> delete_tags(store::Store& store, const document::Value& input, WallTime now) {
  RETURN_IF_ERROR(check("DeleteTags", input));
  const auto job = job_of_arn(store, input.text_at("ResourceArn"));
  if (!job) return tl::unexpected<Error>(job.error());
  jobs::TagsChanged removed;
  for (const document::Value& key : input.items_at("TagKeys")) removed.removed.push_back(key.text);
  return one_event(*job, std::move(removed), now);
}

}  // namespace evener::operations
