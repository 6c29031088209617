// The two ways a catalogue's rows come in: tables with commas, and the user's TOML.
//
// Used by:  catalog.cc.
// Threads:  pure functions.
// Fails:    kInvalidArgument, "file:line: what is wrong".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "advice/catalog/catalog.h"
#include "base/csv_records.h"

namespace evener::catalog {

using Row = CsvRecord;

struct Table {
  std::vector<std::string> header;
  std::vector<Row> rows;
};

// `name` stands in messages. Lines that begin with # and blank lines are passed over.
Result<Table> read_csv(std::string_view text, std::string_view name);

struct Overrides {
  std::vector<InstanceType> instances;
  std::vector<Price> prices;
};

Result<Overrides> read_overrides(const std::string& toml, const std::string& name);

// What every row must hold, wherever it comes from; an empty answer is a good row.
std::string fault_of(const InstanceType& type);
std::string fault_of(const Price& price);

}  // namespace evener::catalog
