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
#include <string>
#include <string_view>

#include "training/jobs/jobs.h"
#include "training/store/sqlite.h"

namespace evener::store {

// Up to that many rows that one filter leaves are read and sorted; with more of them a page is sooner
// full when rows are read in the order that was asked for.
inline constexpr std::int64_t kFewRows = 2000;

class JobPages {
 public:
  explicit JobPages(Database& database, std::int64_t few_rows = kFewRows)
      : database_(database), few_rows_(few_rows) {}

  Result<jobs::JobPage> read(const jobs::JobQuery& query);

 private:
  static constexpr std::size_t kMostStatements = 128;  // prepared and kept

  Result<Statement*> statement_of(const std::string& text);
  // The index to read from: of the filter that leaves few rows, else of the order.
  Result<std::string_view> index_for(const jobs::JobQuery& query);

  Database& database_;
  const std::int64_t few_rows_;
  std::map<std::string, Statement> prepared_;         // by their text
};

}  // namespace evener::store
