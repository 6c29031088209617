// Search for training jobs. The store narrows by index what it can; the rest of the expression is
// asked of each job's document, which is made from the whole job only where a row does not do.
#include <algorithm>
#include <array>
#include <utility>

#include "training/api/api.h"
#include "training/operations/input.h"
#include "training/operations/operations.h"
#include "training/operations/page_token.h"
#include "training/operations/search_expression.h"

namespace evener::operations {
namespace {

constexpr std::size_t kScanPage = 500;  // jobs read at a time

// What Describe shows and a SearchRecord has no member for.
constexpr std::array<std::string_view, 6> kNotInRecords{
    "ProfilingStatus", "ProfilerRuleConfigurations", "RemoteDebugConfig",
    "InfraCheckConfig", "ServerlessJobConfig", "MlflowConfig"};
constexpr std::array<std::string_view, 7> kInRows{
    "TrainingJobName", "TrainingJobArn", "CreationTime", "TrainingEndTime",
    "LastModifiedTime", "TrainingJobStatus", "SecondaryStatus"};

document::Value record_of(const jobs::TrainingJob& job) {
  document::Value record = api::description_of(job);
  std::erase_if(record.members, [](const document::Member& member) {
    return std::ranges::find(kNotInRecords, member.name) != kNotInRecords.end();
  });
  if (!job.spec.tags.empty()) record.set("Tags", tags_document(job.spec.tags));
  return record;
}

// The orders that the store has an index for.
std::optional<jobs::SortBy> indexed(std::string_view property) {
  if (property == "TrainingJobName") return jobs::SortBy::kName;
  if (property == "TrainingJobStatus") return jobs::SortBy::kStatus;
  if (property == "CreationTime") return jobs::SortBy::kCreationTime;
  if (property == "LastModifiedTime" || property.empty()) return jobs::SortBy::kLastModifiedTime;
  return std::nullopt;
}

struct Match {
  document::Value sort_value;    // null where the job lacks the property
  std::string name;
};

class JobSearch {
 public:
  JobSearch(store::Store& store, const document::Value& input)
      : store_(store), input_(input), expression_(input.find("SearchExpression")),
        sort_by_(input.text_at("SortBy")), sort_(indexed(sort_by_)) {
    query_.limit = kScanPage;
    query_.order = jobs::sort_order_from(input.text_at("SortOrder"))
                       .value_or(jobs::SortOrder::kDescending);
    query_.sort = sort_.value_or(jobs::SortBy::kName);
    if (expression_ != nullptr) {
      narrow(*expression_, query_);
      rows_do_ = std::ranges::all_of(properties_of(*expression_), [](const std::string& name) {
        return std::ranges::find(kInRows, name) != kInRows.end();
      });
    }
    wanted_ = static_cast<std::size_t>(
        integer_at(input, "MaxResults", static_cast<std::int64_t>(kDefaultPage)));
  }

  Result<document::Value> answer() {
    jobs::PageKey after;
    const bool continued = input_.find("NextToken") != nullptr;
    if (continued) {
      auto key = key_in(input_.text_at("NextToken"), input_);
      if (!key) return tl::unexpected<Error>(key.error());
      after = std::move(*key);
    }
    return sort_ ? by_index(continued ? std::optional(after) : std::nullopt) : by_value(after);
  }

 private:
  // One job at a time in the store's own order, until the page is full and another is known.
  Result<document::Value> by_index(std::optional<jobs::PageKey> after) {
    query_.after = std::move(after);
    std::optional<jobs::PageKey> last;
    while (true) {
      auto page = store_.page(query_);
      if (!page) return tl::unexpected<Error>(page.error());
      for (std::size_t i = 0; i < page->jobs.size(); ++i) {
        auto record = match(page->jobs[i]);
        if (!record) return tl::unexpected<Error>(record.error());
        if (record->kind == document::Kind::kNull) continue;
        if (results_.items.size() == wanted_) return result(last);
        RETURN_IF_ERROR(add(page->jobs[i].name, std::move(*record)));
        last = std::move(page->keys[i]);
      }
      if (!page->next) return result(std::nullopt);
      query_.after = page->next;
    }
  }

  // All matches, sorted by a value that no index has; the key counts the matches shown before.
  Result<document::Value> by_value(const jobs::PageKey& after) {
    std::vector<Match> found;
    while (true) {
      auto page = store_.page(query_);
      if (!page) return tl::unexpected<Error>(page.error());
      for (const jobs::JobSummary& row : page->jobs) RETURN_IF_ERROR(collect(row, found));
      if (!page->next) break;
      query_.after = page->next;
    }
    const bool up = query_.order == jobs::SortOrder::kAscending;
    std::ranges::stable_sort(found, [&](const Match& a, const Match& b) {
      const int order = compare(a.sort_value, b.sort_value);
      return up ? order < 0 : order > 0;
    });
    const auto shown = static_cast<std::size_t>(std::max<std::int64_t>(0, after.id));
    for (std::size_t i = shown; i < found.size() && i < shown + wanted_; ++i) {
      auto job = store_.find(found[i].name);
      if (job) RETURN_IF_ERROR(add(job->spec.name, record_of(*job)));
    }
    const bool more = found.size() > shown + wanted_;
    const jobs::PageKey next{.id = static_cast<std::int64_t>(shown + wanted_)};
    return result(more ? std::optional(next) : std::nullopt);
  }

  Status collect(const jobs::JobSummary& row, std::vector<Match>& found) {
    auto record = match(row);
    if (!record) return tl::unexpected<Error>(record.error());
    if (record->kind == document::Kind::kNull) return ok();
    RETURN_IF_ERROR(complete(row.name, *record));
    const auto values = values_at(*record, sort_by_);
    found.push_back({values.empty() ? document::Value{} : *values.front(), row.name});
    return ok();
  }

  // The record of a job that matches, whole or as far as its row goes; null for one that does not.
  Result<document::Value> match(const jobs::JobSummary& row) {
    document::Value record = api::summary_document(row);
    if (expression_ == nullptr) return record;
    if (!rows_do_) {
      RETURN_IF_ERROR(complete(row.name, record));
      if (record.kind == document::Kind::kNull) return record;
    }
    return matches(*expression_, record) ? record : document::Value{};
  }

  Status complete(const std::string& name, document::Value& record) {
    if (record.find("StoppingCondition") != nullptr) return ok();  // in every whole record
    const auto job = store_.find(name);
    if (job)
      record = record_of(*job);
    else if (job.error().code == ErrorCode::kNotFound)
      record = {};  // deleted since the page was read
    else
      return tl::unexpected<Error>(job.error());
    return ok();
  }

  Status add(const std::string& name, document::Value record) {
    RETURN_IF_ERROR(complete(name, record));
    if (record.kind == document::Kind::kNull) return ok();
    document::Value result = document::make_object();
    result.set("TrainingJob", std::move(record));
    results_.items.push_back(std::move(result));
    return ok();
  }

  Result<document::Value> result(const std::optional<jobs::PageKey>& next) {
    document::Value answer = document::make_object();
    answer.set("Results", std::move(results_));
    if (next) answer.set("NextToken", document::make_string(token_of(*next, input_)));
    return answer;
  }

  store::Store& store_;
  const document::Value& input_;
  const document::Value* expression_;
  const std::string_view sort_by_;
  const std::optional<jobs::SortBy> sort_;
  jobs::JobQuery query_;
  bool rows_do_ = true;      // the expression reads nothing but what a row shows
  std::size_t wanted_ = 0;
  document::Value results_ = document::make_list({});
};

}  // namespace

Result<document::Value> search(store::Store& store, const document::Value& input) {
  RETURN_IF_ERROR(check("Search", input));
  if (const document::Value* expression = input.find("SearchExpression"))
    RETURN_IF_ERROR(check_expression(*expression));
  if (input.text_at("Resource") != "TrainingJob") {
    document::Value nothing = document::make_object();
    nothing.set("Results", document::make_list({}));
    return nothing;
  }
  return JobSearch(store, input).answer();
}

}  // namespace evener::operations
