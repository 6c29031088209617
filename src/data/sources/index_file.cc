#include "data/sources/index_file.h"

#include <algorithm>
#include <charconv>

#include "base/csv_records.h"
#include "base/document.h"
#include "base/near_miss.h"

namespace evener::data::sources {
namespace {

std::string place(const std::string& name, std::size_t line) {
  return name + ":" + std::to_string(line) + ": ";
}

Status check_row(const IndexRow& row, const std::string& name, Labels labels) {
  const auto wrong = [&](const std::string& what) {
    return failure(ErrorCode::kInvalidArgument, place(name, row.line) + what);
  };
  if (row.file.empty()) return wrong("no file");
  if (row.file.size() > kMaxNameBytes) return wrong("a file's name is too long");
  if (row.label.size() > kMaxLabelBytes) return wrong("a label is too long");
  if (row.label.empty() && labels == Labels::kNeeded)
    return wrong("no label; give one, or set label = \"none\"");
  return ok();
}

// Collects rows under the limit.
class Rows {
 public:
  Rows(const std::string& name, Labels labels) : name_(name), labels_(labels) {}
  Status add(IndexRow row) {
    RETURN_IF_ERROR(check_row(row, name_, labels_));
    if (rows_.size() >= kMaxSamples)
      return failure(ErrorCode::kLimitExceeded, place(name_, row.line) + "too many rows");
    rows_.push_back(std::move(row));
    return ok();
  }
  Result<std::vector<IndexRow>> take() {
    if (rows_.empty())
      return failure(ErrorCode::kInvalidArgument, name_ + ": the index names no file");
    return std::move(rows_);
  }

 private:
  const std::string& name_;
  const Labels labels_;
  std::vector<IndexRow> rows_;
};

struct Columns {
  std::size_t file = 0;
  std::optional<std::size_t> label;
};

Result<Columns> find_columns(const CsvRecord& header, const std::string& name) {
  const auto column = [&](std::string_view wanted) -> std::optional<std::size_t> {
    const auto found = std::ranges::find(header.fields, wanted);
    if (found == header.fields.end()) return std::nullopt;
    return static_cast<std::size_t>(found - header.fields.begin());
  };
  const auto file = column("file");
  if (file) return Columns{*file, column("label")};
  const std::vector<std::string_view> known(header.fields.begin(), header.fields.end());
  return failure(ErrorCode::kInvalidArgument,
                 place(name, header.line) + "the header has no column 'file'" +
                     did_you_mean("file", known) + "; begin with the line file,label");
}

Result<std::vector<IndexRow>> read_csv_index(std::string_view text, const std::string& name,
                                             Labels labels) {
  Rows rows(name, labels);
  std::optional<Columns> columns;
  RETURN_IF_ERROR(visit_csv(text, name, [&](CsvRecord record) -> Status {
    if (!columns) {
      auto found = find_columns(record, name);
      if (!found) return tl::unexpected(std::move(found.error()));
      columns = *found;
      return ok();
    }
    IndexRow row{.file = std::move(record.fields[columns->file]), .label = {}, .line = record.line};
    if (columns->label) row.label = std::move(record.fields[*columns->label]);
    return rows.add(std::move(row));
  }));
  return rows.take();
}

Result<IndexRow> row_of(const document::Value& value, const std::string& name, std::size_t line) {
  IndexRow row{.file = std::string(value.text_at("file")), .label = {}, .line = line};
  const document::Value* label = value.find("label");
  if (label == nullptr) return row;
  switch (label->kind) {
    case document::Kind::kInteger: row.label = std::to_string(label->integer); break;
    case document::Kind::kString: row.label = label->text; break;
    case document::Kind::kNull:
    case document::Kind::kBoolean:
    case document::Kind::kNumber:
    case document::Kind::kList:
    case document::Kind::kObject:
      return failure(ErrorCode::kInvalidArgument,
                     place(name, line) + "a label is a whole number or a text, not " +
                         std::string(document::to_string(label->kind)));
  }
  return row;
}

Result<std::vector<IndexRow>> read_json_index(std::string_view text, const std::string& name,
                                              Labels labels) {
  Rows rows(name, labels);
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view content = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (content.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    auto value = document::read(content);
    if (!value) return failure_in(name + ":" + std::to_string(line), std::move(value.error()));
    auto row = row_of(*value, name, line);
    if (!row) return tl::unexpected(std::move(row.error()));
    RETURN_IF_ERROR(rows.add(std::move(*row)));
  }
  return rows.take();
}

std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

}  // namespace

Result<IndexForm> index_form(std::string_view name) {
  if (name.ends_with(".csv")) return IndexForm::kCsv;
  if (name.ends_with(".jsonl") || name.ends_with(".ndjson")) return IndexForm::kJsonLines;
  return failure(ErrorCode::kInvalidArgument,
                 std::string(name) + ": an index is a .csv, .jsonl or .ndjson file");
}

Result<std::vector<IndexRow>> read_index(std::string_view text, const std::string& name,
                                         IndexForm form, Labels labels) {
  switch (form) {
    case IndexForm::kCsv: return read_csv_index(text, name, labels);
    case IndexForm::kJsonLines: break;
  }
  return read_json_index(text, name, labels);
}

Result<LabelSet> number_labels(const std::vector<std::string_view>& texts,
                               const std::string& name) {
  LabelSet set;
  set.labels.reserve(texts.size());
  for (const std::string_view text : texts) {
    const auto number = number_of(text);
    if (!number) break;
    set.labels.push_back(*number);
    set.count = std::max(set.count, static_cast<std::uint64_t>(*number) + 1);
  }
  if (set.labels.size() == texts.size()) return set;
  std::vector<std::string_view> sorted = texts;
  std::ranges::sort(sorted);
  const auto twice = std::ranges::unique(sorted);
  sorted.erase(twice.begin(), twice.end());
  if (sorted.size() > kMaxClasses)
    return failure(ErrorCode::kLimitExceeded,
                   name + ": more than " + std::to_string(kMaxClasses) + " classes");
  set.labels.clear();
  for (const std::string_view text : texts)
    set.labels.push_back(std::ranges::lower_bound(sorted, text) - sorted.begin());
  set.classes.assign(sorted.begin(), sorted.end());
  set.count = sorted.size();
  return set;
}

}  // namespace evener::data::sources
