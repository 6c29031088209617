// Describe, List and ListTags.
#include <utility>

#include "training/api/api.h"
#include "training/operations/input.h"
#include "training/operations/operations.h"
#include "training/operations/page_token.h"

namespace evener::operations {
namespace {

// Filters on what no job of Evener has: a warm pool, a training plan.
bool matches_nothing(const document::Value& input) {
  return input.find("WarmPoolStatusEquals") != nullptr ||
         input.find("TrainingPlanArnEquals") != nullptr;
}

Result<jobs::JobQuery> query_of(const document::Value& input) {
  jobs::JobQuery query;
  query.status = jobs::job_status_from(input.text_at("StatusEquals"));
  query.name_contains = input.text_at("NameContains");
  query.created_after = time_at(input, "CreationTimeAfter", Rounding::kDown);
  query.created_before = time_at(input, "CreationTimeBefore", Rounding::kUp);
  query.modified_after = time_at(input, "LastModifiedTimeAfter", Rounding::kDown);
  query.modified_before = time_at(input, "LastModifiedTimeBefore", Rounding::kUp);
  query.sort = jobs::sort_by_from(input.text_at("SortBy")).value_or(query.sort);
  query.order = jobs::sort_order_from(input.text_at("SortOrder")).value_or(query.order);
  query.limit = static_cast<std::size_t>(
      integer_at(input, "MaxResults", static_cast<std::int64_t>(kDefaultPage)));
  if (input.find("NextToken") != nullptr) {
    auto key = key_in(input.text_at("NextToken"), input);
    if (!key) return tl::unexpected<Error>(key.error());
    query.after = std::move(*key);
  }
  return query;
}

}  // namespace

Result<document::Value> describe_training_job(store::Store& store, const document::Value& input) {
  RETURN_IF_ERROR(check("DescribeTrainingJob", input));
  const auto job = job_named(store, input.text_at("TrainingJobName"));
  if (!job) return tl::unexpected<Error>(job.error());
  return api::description_of(*job);
}

Result<document::Value> list_training_jobs(store::Store& store, const document::Value& input) {
  RETURN_IF_ERROR(check("ListTrainingJobs", input));
  const auto query = query_of(input);
  if (!query) return tl::unexpected<Error>(query.error());
  Result<jobs::JobPage> page = jobs::JobPage{};
  if (!matches_nothing(input)) page = store.page(*query);
  if (!page) return tl::unexpected<Error>(page.error());
  document::Value answer = document::make_object();
  document::Value summaries = document::make_list({});
  for (const jobs::JobSummary& job : page->jobs)
    summaries.items.push_back(api::summary_document(job));
  answer.set("TrainingJobSummaries", std::move(summaries));
  if (page->next) answer.set("NextToken", document::make_string(token_of(*page->next, input)));
  return answer;
}

Result<document::Value> list_tags(store::Store& store, const document::Value& input) {
  RETURN_IF_ERROR(check("ListTags", input));
  const auto job = job_of_arn(store, input.text_at("ResourceArn"));
  if (!job) return tl::unexpected<Error>(job.error());
  // A job has no more tags than the smallest page, so no token was ever given out.
  if (input.find("NextToken") != nullptr)
    return refused("NextToken is not one that was returned for this request");
  document::Value answer = document::make_object();
  answer.set("Tags", tags_document(job->spec.tags));
  return answer;
}

}  // namespace evener::operations
