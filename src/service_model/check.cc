#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/check.h"
#include "base/near_miss.h"
#include "base/utf8.h"
#include "service_model/pattern.h"
#include "service_model/table.h"

namespace evener::service_model {

namespace {

// Texts longer than this are refused by their length alone.
constexpr std::size_t kPatternLimitBytes = 8192;
constexpr std::size_t kShownBytes = 200;  // of a value in a message

// Paths on this machine stand beside the URIs of the model.
constexpr std::string_view kUriPattern = "(https|s3)://([^/]+)/?(.*)";

std::string member_path(const std::string& path, std::string_view name) {
  std::string first(name);
  if (first[0] >= 'A' && first[0] <= 'Z') first[0] = static_cast<char>(first[0] - 'A' + 'a');
  return path.empty() ? first : path + "." + first;
}

std::string shown(std::string_view text) {
  if (text.size() <= kShownBytes) return std::string(text);
  return cut_utf8(text, kShownBytes) + "...";
}

// Times are seconds since the epoch; a whole one reads as an integer, and so does a whole number.
bool is_of(ShapeKind shape, document::Kind kind) {
  switch (shape) {
    case ShapeKind::kStructure:
    case ShapeKind::kMap: return kind == document::Kind::kObject;
    case ShapeKind::kList: return kind == document::Kind::kList;
    case ShapeKind::kString: return kind == document::Kind::kString;
    case ShapeKind::kInteger: return kind == document::Kind::kInteger;
    case ShapeKind::kNumber:
    case ShapeKind::kTimestamp:
      return kind == document::Kind::kInteger || kind == document::Kind::kNumber;
    case ShapeKind::kBoolean: return kind == document::Kind::kBoolean;
  }
  return false;
}

std::string_view name_of(ShapeKind shape) {
  switch (shape) {
    case ShapeKind::kStructure:
    case ShapeKind::kMap: return to_string(document::Kind::kObject);
    case ShapeKind::kList: return to_string(document::Kind::kList);
    case ShapeKind::kString: return to_string(document::Kind::kString);
    case ShapeKind::kInteger: return to_string(document::Kind::kInteger);
    case ShapeKind::kNumber: return to_string(document::Kind::kNumber);
    case ShapeKind::kTimestamp: return "a time in seconds since 1970";
    case ShapeKind::kBoolean: return to_string(document::Kind::kBoolean);
  }
  return "";
}

std::string bound(std::string_view what, std::string_view side, std::int64_t limit) {
  return "have " + std::string(what) + " " + std::string(side) + " than or equal to " +
         std::to_string(limit);
}

// All that a string must satisfy, each as "have length ..." or "satisfy ...".
std::vector<std::string> rules_of(const ShapeRow& shape) {
  std::vector<std::string> rules;
  if (shape.max != kNoLimit) rules.push_back(bound("length", "less", shape.max));
  if (shape.min != kNoLimit) rules.push_back(bound("length", "greater", shape.min));
  if (!shape.pattern.empty())
    rules.push_back("satisfy regular expression pattern: " + std::string(shape.pattern));
  return rules;
}

class Checker {
 public:
  Checker(const Table& table, Places places) : table_(table), places_(places) {}

  Findings take() { return std::move(findings_); }

  void check(const document::Value& value, std::size_t index, const std::string& path) {
    const ShapeRow& shape = table_.shapes[index];
    if (!is_of(shape.kind, value.kind)) return wrong_type(value.kind, shape.kind, path);
    switch (shape.kind) {
      case ShapeKind::kStructure: check_structure(value, shape, path); return;
      case ShapeKind::kList: check_list(value, shape, path); return;
      case ShapeKind::kMap: check_map(value, shape, path); return;
      case ShapeKind::kString:
        for (const std::string& rule : broken_rules(shape, value.text))
          violation(value.text, path, "Member must " + rule);
        return;
      case ShapeKind::kInteger: check_range(value.integer, "value", value.text, shape, path); return;
      case ShapeKind::kNumber:
      case ShapeKind::kTimestamp:
      case ShapeKind::kBoolean: return;
    }
  }

 private:
  void wrong_type(document::Kind kind, ShapeKind expected, const std::string& path) {
    std::string hint;
    if (expected == ShapeKind::kString && kind != document::Kind::kList &&
        kind != document::Kind::kObject)
      hint = " (write it in quotes)";
    findings_.wrong_types.push_back("'" + (path.empty() ? "the body" : path) + "' must be " +
                                    std::string(name_of(expected)) + ", not " +
                                    std::string(to_string(kind)) + hint);
  }

  bool fits_pattern(const ShapeRow& shape, std::string_view text) const {
    if (shape.pattern.empty() || text.size() > kPatternLimitBytes) return true;
    if (places_ == Places::kThisMachine && shape.pattern == kUriPattern && text.starts_with("file:///"))
      return true;
    return matches(shape.pattern, text);
  }

  // The rules that `text` breaks.
  std::vector<std::string> broken_rules(const ShapeRow& shape, std::string_view text) const {
    std::vector<std::string> broken;
    const auto length = static_cast<std::int64_t>(count_characters(text));
    if (shape.max != kNoLimit && length > shape.max)
      broken.push_back(bound("length", "less", shape.max));
    if (shape.min != kNoLimit && length < shape.min)
      broken.push_back(bound("length", "greater", shape.min));
    if (!fits_pattern(shape, text))
      broken.push_back("satisfy regular expression pattern: " + std::string(shape.pattern));
    if (shape.word_count == 0) return broken;
    std::string set;
    for (const std::string_view word : table_.words.subspan(shape.first_word, shape.word_count)) {
      if (word == text) return broken;
      set += (set.empty() ? "" : ", ") + std::string(word);
    }
    broken.push_back("satisfy enum value set: [" + set + "]");
    return broken;
  }

  void violation(std::string_view value, const std::string& path, const std::string& rule) {
    findings_.violations.push_back("Value '" + shown(value) + "' at '" + path +
                                   "' failed to satisfy constraint: " + rule);
  }

  void check_range(std::int64_t number, std::string_view what, std::string_view value,
                   const ShapeRow& shape, const std::string& path) {
    if (shape.max != kNoLimit && number > shape.max)
      violation(value, path, "Member must " + bound(what, "less", shape.max));
    if (shape.min != kNoLimit && number < shape.min)
      violation(value, path, "Member must " + bound(what, "greater", shape.min));
  }

  void check_structure(const document::Value& value, const ShapeRow& shape, const std::string& path) {
    const auto rows = table_.members.subspan(shape.first_member, shape.member_count);
    std::vector<std::string_view> names;
    for (const MemberRow& row : rows) {
      names.push_back(row.name);
      const document::Value* member = value.find(row.name);
      if (member != nullptr)
        check(*member, row.shape, member_path(path, row.name));
      else if (row.need == Need::kRequired)
        findings_.violations.push_back("Value null at '" + member_path(path, row.name) +
                                       "' failed to satisfy constraint: Member must not be null");
    }
    for (const document::Member& member : value.members) {
      if (std::find(names.begin(), names.end(), member.name) != names.end()) continue;
      findings_.unknown_members.push_back(
          "'" + shown(path.empty() ? member.name : path + "." + member.name) +
          "' is no member that is known here: it is stored and has no effect" +
          did_you_mean(member.name, names));
    }
  }

  void check_list(const document::Value& value, const ShapeRow& shape, const std::string& path) {
    check_range(static_cast<std::int64_t>(value.items.size()), "length", "[...]", shape, path);
    for (std::size_t i = 0; i < value.items.size(); ++i)
      check(value.items[i], shape.element, path + "." + std::to_string(i + 1) + ".member");
  }

  void check_map(const document::Value& value, const ShapeRow& shape, const std::string& path) {
    check_range(static_cast<std::int64_t>(value.members.size()), "length", "{...}", shape, path);
    for (const document::Member& entry : value.members) {
      check_entry(entry, entry.name, "key", table_.shapes[shape.key], path);
      if (entry.value.kind == document::Kind::kString)
        check_entry(entry, entry.value.text, "value", table_.shapes[shape.element], path);
      else
        check(entry.value, shape.element, path + "." + entry.name);
    }
  }

  // AWS shows the whole map and lists every rule of its keys or values, broken or not.
  void check_entry(const document::Member& entry, std::string_view text, std::string_view part,
                   const ShapeRow& shape, const std::string& path) {
    if (broken_rules(shape, text).empty()) return;
    std::string rules;
    for (const std::string& rule : rules_of(shape))
      rules += (rules.empty() ? "Member must " : ", Member must ") + rule;
    violation("{" + entry.name + "=" + entry.value.text + "}", path,
              "Map " + std::string(part) + " must satisfy constraint: [" + rules + "]");
  }

  const Table& table_;
  const Places places_;
  Findings findings_;
};

}  // namespace

Findings check(Service service, std::string_view operation, const document::Value& input,
               Places places) {
  const Table& table = table_of(service);
  const auto found = std::ranges::lower_bound(table.operations, operation);
  CHECK(found != table.operations.end() && *found == operation, "an operation that the model has");
  Checker checker(table, places);
  checker.check(input, table.inputs[static_cast<std::size_t>(found - table.operations.begin())], "");
  return checker.take();
}

Status check_input(Service service, std::string_view operation, const document::Value& input) {
  const Findings findings = check(service, operation, input);
  if (!findings.wrong_types.empty()) {
    std::string all;
    for (const std::string& text : findings.wrong_types) all += (all.empty() ? "" : "; ") + text;
    return failure(ErrorCode::kInvalidArgument, std::move(all));
  }
  if (!findings.violations.empty())
    return failure(ErrorCode::kInvalidArgument, validation_message(findings.violations));
  return ok();
}

std::string validation_message(const std::vector<std::string>& violations) {
  std::string message = std::to_string(violations.size()) +
                        (violations.size() == 1 ? " validation error" : " validation errors") +
                        " detected: ";
  for (std::size_t i = 0; i < violations.size(); ++i)
    message += (i > 0 ? "; " : "") + violations[i];
  return message;
}

}  // namespace evener::service_model
