#include "training/store/job_pages.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

namespace evener::store {
namespace {

using jobs::JobQuery;
using jobs::SortBy;
using jobs::SortOrder;

constexpr std::size_t kLongestName = 63;
constexpr std::string_view kByTags = "tags";   // no index of jobs: their numbers come from tags

using Values = std::vector<std::variant<std::int64_t, std::string_view, std::string>>;

void bind_all(const Values& values, Statement& statement) {
  for (const auto& value : values)
    std::visit([&](const auto& each) { statement.bind(each); }, value);
}

// What LIKE takes for "contains", without regard to case.
std::string containing(std::string_view text) {
  std::string pattern = "%";
  for (const char c : text) {
    if (c == '%' || c == '_' || c == '!') pattern += '!';
    pattern += c;
  }
  return pattern + "%";
}

std::string_view index_of(SortBy sort) {
  switch (sort) {
    case SortBy::kName: return "jobs_by_name";
    case SortBy::kStatus: return "jobs_by_status";
    case SortBy::kCreationTime: return "jobs_by_creation";
    case SortBy::kLastModifiedTime: return "jobs_by_change";
  }
  return "";
}

// The index in whose order the rows of a page come, if no filter leads to fewer.
std::string_view order_index(const JobQuery& query) {
  const bool status_first = query.status && query.sort == SortBy::kCreationTime;
  return status_first ? "jobs_by_status" : index_of(query.sort);
}

// Whether rows of that index may be refused one by one.
bool refuses_rows(const JobQuery& query, std::string_view index) {
  return !query.name_contains.empty() || !query.tags.empty() ||
         (query.status && index != "jobs_by_status") ||
         (query.sort != SortBy::kCreationTime && (query.created_after || query.created_before)) ||
         (query.sort != SortBy::kLastModifiedTime &&
          (query.modified_after || query.modified_before));
}

// The text of a query and what its question marks stand for.
class QueryText {
 public:
  // The rows of a page up to `until`, and one more that shows whether another page follows.
  static QueryText page(const JobQuery& query, std::string_view index,
                        const std::optional<jobs::PageKey>& until) {
    constexpr std::size_t kMost = std::numeric_limits<std::int64_t>::max() - 1;
    QueryText text(query, index);
    text.add_filters();
    for (const jobs::TagFilter& tag : query.tags) text.add_tag(tag, index);
    if (query.after) text.add_keyset(*query.after, text.ascending() ? " > " : " < ");
    if (until) text.add_keyset(*until, text.ascending() ? " <= " : " >= ");
    text.add_order();
    text.add(" LIMIT ?", static_cast<std::int64_t>(std::min(query.limit, kMost)) + 1);
    return text;
  }
  // The row of that number, from 1, of those that the index leads to, whatever filters make of it.
  static QueryText row(const JobQuery& query, std::string_view index, std::int64_t number) {
    QueryText text(query, index);
    if (index == "jobs_by_status" && query.status)
      text.add(" AND status = ?", to_string(*query.status));
    if (query.sort == SortBy::kCreationTime) text.add_created();
    if (query.sort == SortBy::kLastModifiedTime) text.add_modified();
    if (query.after) text.add_keyset(*query.after, text.ascending() ? " > " : " < ");
    text.add_order();
    text.add(" LIMIT 1 OFFSET ?", number - 1);
    return text;
  }

  const std::string& text() const { return text_; }
  const Values& values() const { return values_; }

 private:
  QueryText(const JobQuery& query, std::string_view index)
      : query_(query), text_("SELECT id, name, arn, status, secondary, created, modified,"
                             " training_end FROM jobs") {
    if (index != kByTags) text_ += " INDEXED BY " + std::string(index);
    text_ += " WHERE deleted = 0";
  }

  void add(std::string_view condition, std::int64_t value) {
    text_ += condition;
    values_.emplace_back(value);
  }
  void add(std::string_view condition, std::string_view value) {
    text_ += condition;
    values_.emplace_back(value);
  }

  bool ascending() const { return query_.order == SortOrder::kAscending; }

  // A page's key is inside the bound that pages move away from; with both, the index would be
  // entered at the bound and read up to the key.
  void add_bounds(std::string_view column, SortBy sort, const std::optional<WallTime>& after,
                  const std::optional<WallTime>& before) {
    const bool keyed = query_.after && query_.sort == sort;
    const std::string name(column);
    if (after && !(keyed && ascending())) add(" AND " + name + " > ?", to_millis(*after));
    if (before && !(keyed && !ascending())) add(" AND " + name + " < ?", to_millis(*before));
  }

  void add_created() {
    add_bounds("created", SortBy::kCreationTime, query_.created_after, query_.created_before);
  }
  void add_modified() {
    add_bounds("modified", SortBy::kLastModifiedTime, query_.modified_after,
               query_.modified_before);
  }

  void add_filters() {
    if (query_.status) add(" AND status = ?", to_string(*query_.status));
    add_created();
    add_modified();
    if (query_.name_contains.empty()) return;
    text_ += " AND name LIKE ? ESCAPE '!'";
    values_.emplace_back(containing(query_.name_contains));
  }

  // Led by tags, the numbers of all jobs that have it are found at once; else each row is looked up.
  void add_tag(const jobs::TagFilter& tag, std::string_view index) {
    const bool leads = index == kByTags;
    add(leads ? " AND id IN (SELECT job_id FROM tags WHERE key = ?"
              : " AND EXISTS (SELECT 1 FROM tags WHERE job_id = jobs.id AND key = ?",
        tag.key);
    if (tag.value) add(" AND value = ?", *tag.value);
    text_ += ")";
  }

  // Rows on that side of a key.
  void add_keyset(const jobs::PageKey& key, const std::string& beyond) {
    switch (query_.sort) {
      case SortBy::kName:
        add(" AND name" + beyond + "?", key.text);
        return;
      case SortBy::kStatus:
        add(" AND (status, created, id)" + beyond + "(?", key.text);
        add(", ?", key.time_ms);
        add(", ?)", key.id);
        return;
      case SortBy::kCreationTime:
      case SortBy::kLastModifiedTime:
        add(std::string(" AND (") +
                (query_.sort == SortBy::kCreationTime ? "created" : "modified") + ", id)" +
                beyond + "(?",
            key.time_ms);
        add(", ?)", key.id);
        return;
    }
  }

  void add_order() {
    const std::string way = ascending() ? " ASC" : " DESC";
    text_ += " ORDER BY ";
    switch (query_.sort) {
      case SortBy::kName: text_ += "name" + way; break;
      case SortBy::kStatus: text_ += "status" + way + ", created" + way + ", id" + way; break;
      case SortBy::kCreationTime: text_ += "created" + way + ", id" + way; break;
      case SortBy::kLastModifiedTime: text_ += "modified" + way + ", id" + way; break;
    }
  }

  const JobQuery& query_;
  std::string text_;
  Values values_;
};

// One filter that an index can tell: how to count the rows that it leaves.
struct Candidate {
  std::string_view index;
  std::string rows;                // the FROM and WHERE of them
  Values values;
};

Candidate in_range(std::string_view index, const std::string& column,
                   const std::optional<WallTime>& after, const std::optional<WallTime>& before) {
  Candidate range{index, "jobs INDEXED BY " + std::string(index) + " WHERE deleted = 0", {}};
  if (after) {
    range.rows += " AND " + column + " > ?";
    range.values.emplace_back(to_millis(*after));
  }
  if (before) {
    range.rows += " AND " + column + " < ?";
    range.values.emplace_back(to_millis(*before));
  }
  return range;
}

std::vector<Candidate> candidates_of(const JobQuery& query) {
  std::vector<Candidate> all;
  if (!query.tags.empty()) {
    const jobs::TagFilter& tag = query.tags.front();
    Candidate tagged{kByTags, "tags WHERE key = ?", {std::string_view(tag.key)}};
    if (tag.value) {
      tagged.rows += " AND value = ?";
      tagged.values.emplace_back(std::string_view(*tag.value));
    }
    all.push_back(std::move(tagged));
  }
  if (query.sort != SortBy::kLastModifiedTime && (query.modified_after || query.modified_before))
    all.push_back(in_range("jobs_by_change", "modified", query.modified_after,
                           query.modified_before));
  if (query.sort != SortBy::kCreationTime && (query.created_after || query.created_before))
    all.push_back(in_range("jobs_by_creation", "created", query.created_after,
                           query.created_before));
  if (query.status && (query.sort == SortBy::kName || query.sort == SortBy::kLastModifiedTime))
    all.push_back({"jobs_by_status",
                   "jobs INDEXED BY jobs_by_status WHERE deleted = 0 AND status = ?",
                   {to_string(*query.status)}});
  return all;
}

Result<jobs::JobSummary> summary_in(const Statement& row) {
  const auto status = jobs::job_status_from(row.text(3));
  const auto secondary = jobs::secondary_status_from(row.text(4));
  if (!status || !secondary)
    return failure(ErrorCode::kCorrupt, "job " + std::string(row.text(1)) + ": unknown status");
  jobs::JobSummary summary{.name = std::string(row.text(1)), .arn = std::string(row.text(2)),
                           .status = *status, .secondary = *secondary,
                           .created = from_millis(row.integer(5)),
                           .last_modified = from_millis(row.integer(6)),
                           .training_end = std::nullopt};
  if (!row.is_null(7)) summary.training_end = from_millis(row.integer(7));
  return summary;
}

jobs::PageKey key_of(const jobs::JobSummary& summary, std::int64_t id, SortBy sort) {
  switch (sort) {
    case SortBy::kName: return {.text = summary.name};
    case SortBy::kStatus:
      return {.text = std::string(to_string(summary.status)),
              .time_ms = to_millis(summary.created), .id = id};
    case SortBy::kCreationTime: return {.time_ms = to_millis(summary.created), .id = id};
    case SortBy::kLastModifiedTime:
      return {.time_ms = to_millis(summary.last_modified), .id = id};
  }
  return {};
}

}  // namespace

Result<Statement*> JobPages::statement_of(const std::string& text) {
  const auto known = prepared_.find(text);
  if (known != prepared_.end()) return &known->second;
  if (prepared_.size() >= kMostStatements) prepared_.clear();
  auto statement = database_.prepare(text);
  if (!statement) return tl::unexpected<Error>(statement.error());
  return &prepared_.emplace(text, std::move(*statement)).first->second;
}

Result<std::string_view> JobPages::index_for(const JobQuery& query) {
  for (const Candidate& candidate : candidates_of(query)) {
    auto prepared = statement_of("SELECT count(*) FROM (SELECT 1 FROM " + candidate.rows +
                                 " LIMIT ?)");
    if (!prepared) return tl::unexpected<Error>(prepared.error());
    Statement& count = (*prepared)->restart();
    bind_all(candidate.values, count);
    const auto row = count.bind(few_rows_ + 1).step();
    if (!row) return tl::unexpected<Error>(row.error());
    const bool few = count.integer(0) <= few_rows_;
    count.restart();
    if (few) return candidate.index;
  }
  return order_index(query);
}

Result<std::optional<jobs::PageKey>> JobPages::end_of_look(const JobQuery& query,
                                                           std::string_view index) {
  if (index != order_index(query) || !refuses_rows(query, index)) return std::nullopt;
  const auto text = QueryText::row(query, index, looked_at_rows_);
  auto prepared = statement_of(text.text());
  if (!prepared) return tl::unexpected<Error>(prepared.error());
  Statement& rows = (*prepared)->restart();
  bind_all(text.values(), rows);
  const auto row = rows.step();
  if (!row) return tl::unexpected<Error>(row.error());
  if (!*row) return std::nullopt;
  const auto summary = summary_in(rows);
  const std::int64_t id = rows.integer(0);
  rows.restart();
  if (!summary) return tl::unexpected<Error>(summary.error());
  return key_of(*summary, id, query.sort);
}

Result<jobs::JobPage> JobPages::read(const JobQuery& query) {
  jobs::JobPage page;
  if (query.limit == 0 || query.name_contains.size() > kLongestName) return page;
  const auto index = index_for(query);
  if (!index) return tl::unexpected<Error>(index.error());
  const auto until = end_of_look(query, *index);
  if (!until) return tl::unexpected<Error>(until.error());
  const auto text = QueryText::page(query, *index, *until);
  auto prepared = statement_of(text.text());
  if (!prepared) return tl::unexpected<Error>(prepared.error());
  Statement& rows = (*prepared)->restart();
  bind_all(text.values(), rows);
  while (true) {
    const auto row = rows.step();
    if (!row) return tl::unexpected<Error>(row.error());
    if (!*row) {
      page.next = *until;
      return page;
    }
    if (page.jobs.size() == query.limit) {
      page.next = page.keys.back();
      rows.restart();  // an open read would keep the log of writes from being taken in
      return page;
    }
    auto summary = summary_in(rows);
    if (!summary) {
      rows.restart();
      return tl::unexpected<Error>(summary.error());
    }
    page.keys.push_back(key_of(*summary, rows.integer(0), query.sort));
    page.jobs.push_back(std::move(*summary));
  }
}

}  // namespace evener::store
