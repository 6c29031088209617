#include "advice/catalog/tables.h"

namespace evener::catalog {

Result<Table> read_csv(std::string_view text, std::string_view name) {
  Table table;
  const auto add = [&](CsvRecord record) -> Status {
    if (table.header.empty()) {
      table.header = std::move(record.fields);
      return ok();
    }
    if (table.rows.size() >= kMaxRows)
      return failure(ErrorCode::kInvalidArgument,
                     std::string(name) + ":" + std::to_string(record.line) + ": more than " +
                         std::to_string(kMaxRows) + " rows");
    table.rows.push_back(std::move(record));
    return ok();
  };
  RETURN_IF_ERROR(visit_csv(text, name, add));
  return table;
}

}  // namespace evener::catalog
