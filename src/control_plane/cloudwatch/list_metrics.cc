#include <algorithm>
#include <chrono>

#include "control_plane/cloudwatch/calls.h"
#include "control_plane/cloudwatch/inputs.h"
#include "control_plane/cloudwatch/series.h"
#include "control_plane/stores/stores.h"

namespace evener::control_plane {
namespace {

using document::make_list;
using document::make_object;
using document::make_string;
using document::Value;

constexpr std::size_t kJobsPage = 100;      // read at once
constexpr std::size_t kMostPages = 10;      // in one call; then a page may be short
constexpr std::chrono::hours kRecent{3};
constexpr std::string_view kTokenStart = "m/";

struct Filter {
  std::string name_space{};
  std::string metric{};
  std::vector<std::pair<std::string, std::optional<std::string>>> dimensions{};
  std::optional<WallTime> active_since{};

  bool takes(const MetricName& name) const {
    if (!name_space.empty() && name_space != name.name_space) return false;
    if (!metric.empty() && metric != name.metric) return false;
    return std::ranges::all_of(dimensions, [&](const auto& wanted) {
      return std::ranges::any_of(name.dimensions, [&](const auto& has) {
        return has.first == wanted.first && (!wanted.second || has.second == *wanted.second);
      });
    });
  }
  bool takes(const jobs::JobSummary& job) const {
    return !active_since || job.last_modified >= *active_since ||
           job.status == jobs::JobStatus::kInProgress;
  }
  // The only job that can have such metrics, where the filter tells.
  std::optional<std::string> job() const {
    for (const auto& [name, value] : dimensions)
      if (value && (name == kJobDimension || name == kHostDimension))
        return value->substr(0, value->find('/'));
    return std::nullopt;
  }
};

Filter read_filter(const Value& input, WallTime now) {
  Filter filter{.name_space = std::string(input.text_at("Namespace")),
                .metric = std::string(input.text_at("MetricName"))};
  for (const Value& dimension : input.items_at("Dimensions")) {
    std::optional<std::string> value;
    if (dimension.find("Value") != nullptr) value = dimension.text_at("Value");
    filter.dimensions.emplace_back(dimension.text_at("Name"), std::move(value));
  }
  if (!input.text_at("RecentlyActive").empty()) filter.active_since = now - kRecent;
  return filter;
}

Result<std::optional<jobs::PageKey>> read_token(std::string_view token) {
  if (token.empty()) return std::nullopt;
  auto key = page_key_from(kTokenStart, token);
  if (!key) return invalid_value("The NextToken is not valid.");
  return key;
}

// Metrics of whole jobs: a job's are never parted, unless by themselves they fill more than a page.
class Listing {
 public:
  Listing(store::Store& store, const Filter& filter, const CloudWatchOptions& options)
      : store_(store), filter_(filter), options_(options) {}

  // kFull: the job's metrics do not fit any more and were left out.
  enum class Added { kAll, kFull };
  Result<Added> add(const std::string& job_name) {
    const auto job = store_.find(job_name);
    if (!job && job.error().code == ErrorCode::kNotFound) return Added::kAll;
    if (!job) return tl::unexpected<Error>(job.error());
    if (!filter_.takes(jobs::summary_of(*job))) return Added::kAll;
    std::vector<MetricName> names = metrics_of(*job, options_);
    std::erase_if(names, [&](const MetricName& name) { return !filter_.takes(name); });
    if (!metrics_.items.empty() && metrics_.items.size() + names.size() > kListedMetrics)
      return Added::kFull;
    for (const MetricName& name : names) metrics_.items.push_back(to_document(name));
    return Added::kAll;
  }

  // Answers where the next page begins.
  Result<std::optional<jobs::PageKey>> add_all(std::optional<jobs::PageKey> after) {
    jobs::JobQuery query{.sort = jobs::SortBy::kName, .after = std::move(after), .limit = kJobsPage};
    for (std::size_t pages = 0; pages < kMostPages; ++pages) {
      const auto found = store_.page(query);
      if (!found) return tl::unexpected<Error>(found.error());
      for (std::size_t i = 0; i < found->jobs.size(); ++i) {
        const auto added = add(found->jobs[i].name);
        if (!added) return tl::unexpected<Error>(added.error());
        if (*added == Added::kFull) return query.after;
        query.after = found->keys[i];
      }
      if (!found->next) return std::nullopt;
      query.after = found->next;
    }
    return query.after;
  }

  Value take() { return std::move(metrics_); }

 private:
  store::Store& store_;
  const Filter& filter_;
  const CloudWatchOptions& options_;
  Value metrics_ = make_list({});
};

}  // namespace

Result<Value> list_metrics(store::Store& store, const Value& input, WallTime now,
                           const CloudWatchOptions& options) {
  const Filter filter = read_filter(input, now);
  auto after = read_token(input.text_at("NextToken"));
  if (!after) return tl::unexpected<Error>(after.error());
  Listing listing(store, filter, options);
  std::optional<jobs::PageKey> next;
  if (const auto job = filter.job()) {
    const auto added = listing.add(*job);
    if (!added) return tl::unexpected<Error>(added.error());
  } else if (filter.name_space.empty() || filter.name_space == kMetricNamespace) {
    auto rest = listing.add_all(std::move(*after));
    if (!rest) return tl::unexpected<Error>(rest.error());
    next = std::move(*rest);
  }
  Value output = make_object();
  output.set("Metrics", listing.take());
  if (next) output.set("NextToken", make_string(page_token(kTokenStart, *next)));
  return output;
}

}  // namespace evener::control_plane
