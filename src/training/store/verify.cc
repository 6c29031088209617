#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "training/store/store.h"

namespace evener::store {
namespace {

using Jobs = std::map<std::string, jobs::TrainingJob>;

constexpr std::size_t kPage = 1000;  // events

// Takes one stored event into the jobs told so far.
void replay(Jobs& told, const StoredEvent& stored, std::vector<std::string>& differences) {
  const jobs::JobEvent& event = stored.event;
  const std::string where = "event " + std::to_string(stored.row) + " of job " + event.job;
  if (std::holds_alternative<jobs::Submitted>(event.change)) {
    auto job = jobs::create(event);
    if (!job) return differences.push_back(where + ": " + job.error().message);
    if (!told.emplace(event.job, std::move(*job)).second)
      differences.push_back(where + " submits a job that exists");
    return;
  }
  const auto job = told.find(event.job);
  if (job == told.end()) return differences.push_back(where + " comes before its submission");
  if (event.journal_position != 0 && event.journal_position <= job->second.imported_position)
    differences.push_back(where + " was imported twice");
  if (Status status = jobs::apply(job->second, event); !status)
    differences.push_back(where + ": " + status.error().message);
  if (job->second.deleted) told.erase(job);
}

void compare(const Jobs& told, const std::vector<jobs::TrainingJob>& stored,
             std::vector<std::string>& differences) {
  std::size_t matched = 0;
  for (const jobs::TrainingJob& job : stored) {
    const auto same = told.find(job.spec.name);
    if (same == told.end()) {
      differences.push_back("job " + job.spec.name + " is stored but no event tells of it");
      continue;
    }
    ++matched;
    if (jobs::to_json(same->second) != jobs::to_json(job))
      differences.push_back("job " + job.spec.name + " is stored as " +
                            std::string(to_string(job.secondary)) +
                            " and differs from what its events tell (" +
                            std::string(to_string(same->second.secondary)) + ")");
  }
  if (matched != told.size())
    differences.push_back(std::to_string(told.size() - matched) +
                          " jobs are told by events but not stored");
}

// The narrow rows that lists are read from, against the jobs.
Status compare_rows(Store& store, const std::vector<jobs::TrainingJob>& stored,
                    std::vector<std::string>& differences) {
  std::map<std::string, jobs::JobSummary> expected;
  for (const jobs::TrainingJob& job : stored) expected[job.spec.name] = jobs::summary_of(job);
  jobs::JobQuery query{.sort = jobs::SortBy::kName, .limit = kPage};
  while (true) {
    const auto page = store.page(query);
    if (!page) return tl::unexpected<Error>(page.error());
    for (const jobs::JobSummary& row : page->jobs) {
      const auto same = expected.find(row.name);
      if (same == expected.end() || !(same->second == row))
        differences.push_back("the row of job " + row.name + " does not match the job");
      if (same != expected.end()) expected.erase(same);
    }
    if (!page->next) break;
    query.after = page->next;
  }
  for (const auto& [name, summary] : expected)
    differences.push_back("job " + name + " has no row in lists");
  return ok();
}

}  // namespace

Result<std::vector<std::string>> verify(Store& store) {
  std::vector<std::string> differences;
  Jobs told;
  std::int64_t row = 0;
  while (true) {
    const auto page = store.events_after(row, kPage);
    if (!page) return tl::unexpected<Error>(page.error());
    if (page->empty()) break;
    for (const StoredEvent& event : *page) {
      replay(told, event, differences);
      row = event.row;
    }
  }
  const auto stored = store.list({.status = std::nullopt, .name_contains = "",
                                  .limit = std::numeric_limits<std::size_t>::max()});
  if (!stored) return tl::unexpected<Error>(stored.error());
  compare(told, *stored, differences);
  RETURN_IF_ERROR(compare_rows(store, *stored, differences));

  const auto active = store.active();
  if (!active) return tl::unexpected<Error>(active.error());
  const auto going_on = std::ranges::count_if(*stored, [](const auto& job) { return !job.ended(); });
  if (std::cmp_not_equal(active->size(), going_on))
    differences.push_back("the index of active jobs does not match the jobs");
  return differences;
}

}  // namespace evener::store
