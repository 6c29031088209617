// Pages of job summaries by keyset: each page begins where an index says the last one ended, so the
// thousandth costs what the first does. Private to store.
//
// Used by:  store.cc.
// Threads:  one thread, the Database's.
// Fails:    as the Database does; kCorrupt on a status that is none.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "training/jobs/jobs.h"
#include "training/store/sqlite.h"

namespace evener::store {

class JobPages {
 public:
  explicit JobPages(Database& database) : database_(database) {}

  Result<jobs::JobPage> read(const jobs::JobQuery& query);

 private:
  static constexpr std::size_t kMostStatements = 64;  // prepared and kept

  Result<Statement*> statement_of(const std::string& text);

  Database& database_;
  std::map<std::string, Statement> prepared_;         // by their text
};

}  // namespace evener::store
