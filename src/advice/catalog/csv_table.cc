#include <csv.h>

#include <algorithm>

#include "advice/catalog/tables.h"

namespace evener::catalog {
namespace {

// Collects one record.
struct Record {
  std::vector<std::string> fields;
  bool ended = false;
};

void on_field(void* bytes, std::size_t size, void* record) {
  static_cast<Record*>(record)->fields.emplace_back(static_cast<const char*>(bytes), size);
}

void on_record(int, void* record) { static_cast<Record*>(record)->ended = true; }

// One record, fed line by line: libcsv keeps no line numbers and knows no comments.
class RecordParser {
 public:
  RecordParser() { csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI); }
  RecordParser(const RecordParser&) = delete;
  RecordParser& operator=(const RecordParser&) = delete;
  ~RecordParser() { csv_free(&parser_); }

  bool feed(std::string_view bytes, Record& record) {
    return csv_parse(&parser_, bytes.data(), bytes.size(), on_field, on_record, &record) ==
           bytes.size();
  }
  bool finish(Record& record) { return csv_fini(&parser_, on_field, on_record, &record) == 0; }

 private:
  csv_parser parser_{};
};

std::string place(std::string_view name, std::size_t line) {
  return std::string(name) + ":" + std::to_string(line) + ": ";
}

Status add_record(Table& table, Row row, std::string_view name) {
  if (table.header.empty()) {
    table.header = std::move(row.fields);
    return ok();
  }
  if (row.fields.size() != table.header.size())
    return failure(ErrorCode::kInvalidArgument,
                   place(name, row.line) + std::to_string(row.fields.size()) + " fields, but the header has " +
                       std::to_string(table.header.size()));
  if (table.rows.size() >= kMaxRows)
    return failure(ErrorCode::kInvalidArgument, place(name, row.line) + "more than " +
                                                    std::to_string(kMaxRows) + " rows");
  table.rows.push_back(std::move(row));
  return ok();
}

}  // namespace

Result<Table> read_csv(std::string_view text, std::string_view name) {
  Table table;
  RecordParser parser;
  Record record;
  std::size_t line = 0;
  std::size_t begun = 0;  // line of the record that is being read; 0 between records
  while (!text.empty()) {
    ++line;
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view content = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (begun == 0 && (content.starts_with('#') || content.find_first_not_of(" \t\r") == std::string_view::npos))
      continue;
    if (begun == 0) begun = line;
    if (!parser.feed(std::string(content) + "\n", record))
      return failure(ErrorCode::kInvalidArgument, place(name, line) + "a quote in the wrong place");
    if (!record.ended) continue;
    RETURN_IF_ERROR(add_record(table, {begun, std::move(record.fields)}, name));
    record = {};
    begun = 0;
  }
  if (begun != 0 || !parser.finish(record))
    return failure(ErrorCode::kInvalidArgument, place(name, begun) + "a quote is not closed");
  return table;
}

}  // namespace evener::catalog
