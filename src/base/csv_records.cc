#include "base/csv_records.h"

#include <csv.h>

#include <algorithm>

namespace evener {
namespace {

// Collects one record.
struct Collected {
  std::vector<std::string> fields;
  bool ended = false;
};

void on_field(void* bytes, std::size_t size, void* record) {
  static_cast<Collected*>(record)->fields.emplace_back(static_cast<const char*>(bytes), size);
}

void on_record(int, void* record) { static_cast<Collected*>(record)->ended = true; }

// One record, fed line by line: libcsv keeps no line numbers and knows no comments.
class RecordParser {
 public:
  RecordParser() { csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI); }
  RecordParser(const RecordParser&) = delete;
  RecordParser& operator=(const RecordParser&) = delete;
  ~RecordParser() { csv_free(&parser_); }

  bool feed(std::string_view bytes, Collected& record) {
    return csv_parse(&parser_, bytes.data(), bytes.size(), on_field, on_record, &record) ==
           bytes.size();
  }
  bool finish(Collected& record) {
    return csv_fini(&parser_, on_field, on_record, &record) == 0;
  }

 private:
  csv_parser parser_{};
};

std::string place(std::string_view name, std::size_t line) {
  return std::string(name) + ":" + std::to_string(line) + ": ";
}

}  // namespace

Status visit_csv(std::string_view text, std::string_view name,
                 const std::function<Status(CsvRecord)>& visit) {
  RecordParser parser;
  Collected record;
  std::size_t line = 0;
  std::size_t begun = 0;  // line of the record that is being read; 0 between records
  std::size_t width = 0;  // fields of the first record
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
    if (width == 0) width = record.fields.size();
    if (record.fields.size() != width)
      return failure(ErrorCode::kInvalidArgument,
                     place(name, begun) + std::to_string(record.fields.size()) +
                         " fields, but the header has " + std::to_string(width));
    RETURN_IF_ERROR(visit({begun, std::move(record.fields)}));
    record = {};
    begun = 0;
  }
  if (begun != 0 || !parser.finish(record))
    return failure(ErrorCode::kInvalidArgument, place(name, begun) + "a quote is not closed");
  return ok();
}

}  // namespace evener
