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

constexpr std::string_view kSelected =
    "SELECT id, name, arn, status, secondary, created, modified, training_end FROM jobs"
    " WHERE deleted = 0";

// The text of a query and what its question marks stand for.
class QueryText {
 public:
  explicit QueryText(const JobQuery& query) : query_(query), text_(kSelected) {
    add_filters();
    add_tags();
    if (query.after) add_keyset(*query.after);
    add_order();
  }

  const std::string& text() const { return text_; }
  void bind_to(Statement& statement) const {
    for (const auto& value : values_)
      std::visit([&](const auto& each) { statement.bind(each); }, value);
  }

 private:
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

  void add_filters() {
    if (query_.status) add(" AND status = ?", to_string(*query_.status));
    add_bounds("created", SortBy::kCreationTime, query_.created_after, query_.created_before);
    add_bounds("modified", SortBy::kLastModifiedTime, query_.modified_after,
               query_.modified_before);
    if (!query_.name_contains.empty())
      add(" AND instr(lower(name), lower(?)) > 0", query_.name_contains);
  }

  void add_tags() {
    for (const jobs::TagFilter& tag : query_.tags) {
      add(" AND id IN (SELECT job_id FROM tags WHERE key = ?", tag.key);
      if (tag.value) add(" AND value = ?", *tag.value);
      text_ += ")";
    }
  }

  void add_keyset(const jobs::PageKey& key) {
    const std::string beyond = ascending() ? " > " : " < ";
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
    // One more than the page shows whether another follows.
    constexpr std::size_t kMost = std::numeric_limits<std::int64_t>::max() - 1;
    add(" LIMIT ?", static_cast<std::int64_t>(std::min(query_.limit, kMost)) + 1);
  }

  const JobQuery& query_;
  std::string text_;
  std::vector<std::variant<std::int64_t, std::string_view>> values_;
};

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

Result<jobs::JobPage> JobPages::read(const JobQuery& query) {
  jobs::JobPage page;
  if (query.limit == 0) return page;
  const QueryText text(query);
  auto prepared = statement_of(text.text());
  if (!prepared) return tl::unexpected<Error>(prepared.error());
  Statement& rows = (*prepared)->restart();
  text.bind_to(rows);
  while (true) {
    const auto row = rows.step();
    if (!row) return tl::unexpected<Error>(row.error());
    if (!*row) return page;
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
