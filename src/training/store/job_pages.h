// Pages of job summaries by keyset: each page begins where an index says the last one ended, so the
// thousandth costs what the first does. Private to store.
//
// Used by:  store.cc.
// Threads:  one thread, the Database's.
// Fails:    as the Database does; kCorrupt on a status that is none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "training/jobs/jobs.h"
#include "training/store/sqlite.h"

namespace evener::store {

// Up to that many rows that one filter leaves are read and sorted; with more of them a page is sooner
// full when rows are read in the order that was asked for.
inline constexpr std::int64_t kFewRows = 2000;

// Rows of the order's index that one page looks at: with filters that leave few of them a page may be
// short, and even empty, and say where the next begins.
inline constexpr std::int64_t kLookedAtRows = 20'000;

class JobPages {
 public:
  explicit JobPages(Database& database, std::int64_t few_rows = kFewRows,
                    std::int64_t looked_at_rows = kLookedAtRows)
      : database_(database), few_rows_(few_rows), looked_at_rows_(looked_at_rows) {}

  Result<jobs::JobPage> read(const jobs::JobQuery& query);

 private:
  static constexpr std::size_t kMostStatements = 128;  // prepared and kept

  Result<Statement*> statement_of(const std::string& text);
  // The index to read from: of the filter that leaves few rows, else of the order.
  Result<std::string_view> index_for(const jobs::JobQuery& query);

  // Where a page ends that has not been filled by then; nothing where no page looks at so much.
  Result<std::optional<jobs::PageKey>> end_of_look(const jobs::JobQuery& query,
                                                   std::string_view index);

  Database& database_;
  const std::int64_t few_rows_;
  const std::int64_t looked_at_rows_;
  std::map<std::string, Statement> prepared_;         // by their text
};

}  // namespace evener::store
