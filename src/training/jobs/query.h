// What to list of the jobs of a home, and how a listed job looks. Part of jobs/jobs.h.
//
// Used by:  store (answers queries), operations (makes them).
// Threads:  values and pure functions.
// Fails:    ..._from() answers nothing for a word that it does not know.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "training/jobs/status.h"

namespace evener::jobs {

enum class SortBy { kCreationTime, kName, kStatus, kLastModifiedTime };
enum class SortOrder { kAscending, kDescending };
std::string_view to_string(SortBy by);          // "CreationTime", as ListTrainingJobs spells it
std::string_view to_string(SortOrder order);    // "Ascending", "Descending"
std::optional<SortBy> sort_by_from(std::string_view text);
std::optional<SortOrder> sort_order_from(std::string_view text);

struct TagFilter {
  std::string key;
  std::optional<std::string> value{};           // absent: any value
};

// Where a page ended: the sort value of its last job, and what makes it unique.
struct PageKey {
  std::string text{};                           // sorted by Name or Status: the word
  std::int64_t time_ms = 0;                     // by a time, or after equal words
  std::int64_t id = 0;
  bool operator==(const PageKey&) const = default;
};

// Filters are joined by "and"; pages are taken from what they leave.
struct JobQuery {
  std::optional<JobStatus> status{};
  std::string name_contains{};                  // without regard to case
  std::optional<WallTime> created_after{};      // later than, earlier than: never equal
  std::optional<WallTime> created_before{};
  std::optional<WallTime> modified_after{};
  std::optional<WallTime> modified_before{};
  std::vector<TagFilter> tags{};
  SortBy sort = SortBy::kCreationTime;
  SortOrder order = SortOrder::kAscending;
  std::optional<PageKey> after{};               // the end of the page before
  std::size_t limit = 100;                      // jobs
};

struct JobSummary {
  std::string name;
  std::string arn{};
  JobStatus status = JobStatus::kInProgress;
  SecondaryStatus secondary = SecondaryStatus::kStarting;
  WallTime created{};
  WallTime last_modified{};
  std::optional<WallTime> training_end{};
  bool operator==(const JobSummary&) const = default;
};

struct JobPage {
  std::vector<JobSummary> jobs{};
  std::vector<PageKey> keys{};                  // of each job: where a page after it begins
  std::optional<PageKey> next{};                // absent: nothing follows
};

}  // namespace evener::jobs
