// Records of a table with commas (RFC 4180), each with the line where it begins.
//
// Used by:  advice/catalog, data/sources.
// Threads:  pure functions.
// Fails:    kInvalidArgument, "name:line: what is wrong"; what `visit` answers.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace evener {

struct CsvRecord {
  std::size_t line = 0;                // from 1
  std::vector<std::string> fields;     // as many as the first record has
};

// Calls `visit` for each record in order, the header first. `name` stands in messages. Lines that
// begin with # and blank lines are passed over.
Status visit_csv(std::string_view text, std::string_view name,
                 const std::function<Status(CsvRecord)>& visit);

}  // namespace evener
