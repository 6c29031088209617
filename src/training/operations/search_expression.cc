#include "training/operations/search_expression.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <optional>

#include "training/operations/input.h"
#include "training/operations/iso_time.h"
#include "training/operations/operations.h"

namespace evener::operations {
namespace {

using document::Kind;
using document::Value;

bool any_of(const Value& expression) { return expression.text_at("Operator") == "Or"; }

std::string_view operator_of(const Value& filter) {
  const std::string_view name = filter.text_at("Operator");
  return name.empty() ? "Equals" : name;
}

// ---- values ----------------------------------------------------------------------------

std::optional<double> number_in(std::string_view text) {
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || !std::isfinite(number))
    return std::nullopt;
  return number;
}

std::optional<double> number_of(const Value& value) {
  if (value.kind == Kind::kInteger) return static_cast<double>(value.integer);
  if (value.kind == Kind::kNumber || value.kind == Kind::kString) return number_in(value.text);
  return std::nullopt;
}

// What a filter's text is when it is compared with numbers: one itself, or a time in seconds.
std::optional<double> wanted_number(std::string_view text) {
  if (const auto number = number_in(text)) return number;
  const auto time = time_from_iso(text);
  return time ? std::optional(static_cast<double>(to_millis(*time)) / 1000) : std::nullopt;
}

std::string text_of(const Value& value) {
  if (value.kind == Kind::kBoolean) return value.boolean ? "true" : "false";
  return value.text;
}

// -1, 0, 1; nothing where the two cannot be compared.
std::optional<int> compare_with(const Value& value, std::string_view wanted) {
  const bool is_number = value.kind == Kind::kInteger || value.kind == Kind::kNumber;
  const auto left = number_of(value), right = wanted_number(wanted);
  if (left && right && (is_number || number_in(wanted))) return *left < *right ? -1 : *left > *right;
  if (is_number || value.kind == Kind::kObject || value.kind == Kind::kList) return std::nullopt;
  const int order = text_of(value).compare(wanted);
  return order < 0 ? -1 : order > 0;
}

bool is_in(const Value& value, std::string_view list) {
  while (true) {
    const std::size_t comma = list.find(',');
    if (compare_with(value, list.substr(0, comma)) == 0) return true;
    if (comma == std::string_view::npos) return false;
    list.remove_prefix(comma + 1);
  }
}

bool one_satisfies(const Value& value, std::string_view name, std::string_view wanted) {
  if (name == "Contains") return text_of(value).find(wanted) != std::string::npos;
  if (name == "In") return is_in(value, wanted);
  const auto order = compare_with(value, wanted);
  if (!order) return false;
  if (name == "GreaterThan") return *order > 0;
  if (name == "GreaterThanOrEqualTo") return *order >= 0;
  if (name == "LessThan") return *order < 0;
  if (name == "LessThanOrEqualTo") return *order <= 0;
  return *order == 0;
}

bool satisfies(const Value& filter, const std::vector<const Value*>& values) {
  const std::string_view name = operator_of(filter), wanted = filter.text_at("Value");
  const auto equals = [&](const Value* value) { return one_satisfies(*value, "Equals", wanted); };
  if (name == "NotExists") return values.empty();
  if (name == "Exists") return !values.empty();
  if (name == "NotEquals") return std::ranges::none_of(values, equals);
  return std::ranges::any_of(values,
                             [&](const Value* value) { return one_satisfies(*value, name, wanted); });
}

// ---- paths -----------------------------------------------------------------------------

void collect(const Value& value, std::string_view path, std::vector<const Value*>& found);

// {"Key": k, "Value": v} and {"MetricName": k, "Value": v} read as a member k.
void collect_named(const Value& list, std::string_view key, std::string_view name,
                   std::vector<const Value*>& found) {
  for (const Value& item : list.items)
    if (item.text_at(key) == name)
      if (const Value* value = item.find("Value")) found.push_back(value);
}

// Names of hyperparameters may hold dots, so every prefix of the path may be a member.
void collect_members(const Value& object, std::string_view path, std::vector<const Value*>& found) {
  for (const document::Member& member : object.members) {
    if (member.name == path) collect(member.value, "", found);
    if (path.size() > member.name.size() && path.starts_with(member.name) &&
        path[member.name.size()] == '.')
      collect(member.value, path.substr(member.name.size() + 1), found);
  }
}

void collect(const Value& value, std::string_view path, std::vector<const Value*>& found) {
  if (value.kind == Kind::kList) {
    for (const Value& item : value.items) collect(item, path, found);
  } else if (path.empty()) {
    if (value.kind != Kind::kNull) found.push_back(&value);
  } else if (value.kind == Kind::kObject) {
    collect_members(value, path, found);
  }
}

// ---- expressions -----------------------------------------------------------------------

// One object of the list satisfies every filter.
bool satisfies_nested(const Value& nested, const Value& record) {
  const std::string_view property = nested.text_at("NestedPropertyName");
  const std::string prefix = std::string(property) + ".";
  const auto candidates = values_at(record, property);
  return std::ranges::any_of(candidates, [&](const Value* candidate) {
    return std::ranges::all_of(nested.items_at("Filters"), [&](const Value& filter) {
      std::string_view path = filter.text_at("Name");
      if (path.starts_with(prefix)) path.remove_prefix(prefix.size());
      return satisfies(filter, values_at(*candidate, path));
    });
  });
}

struct Extent {
  std::size_t conditions = 0;
  std::size_t depth = 0;
};

void measure(const Value& expression, std::size_t depth, Extent& extent,
             std::multiset<std::string_view>& contains) {
  extent.depth = std::max(extent.depth, depth);
  for (const Value& filter : expression.items_at("Filters")) {
    ++extent.conditions;
    if (operator_of(filter) == "Contains") contains.insert(filter.text_at("Name"));
  }
  extent.conditions += expression.items_at("NestedFilters").size();
  for (const Value& sub : expression.items_at("SubExpressions")) {
    ++extent.conditions;
    measure(sub, depth + 1, extent, contains);
  }
}

void narrow_time(std::string_view name, const Value& filter, std::optional<WallTime>& after,
                 std::optional<WallTime>& before) {
  const auto number = wanted_number(filter.text_at("Value"));
  constexpr double kFarthest = 9e12;  // seconds
  if (!number || std::abs(*number) > kFarthest) return;
  // One millisecond wider than asked: the filter itself is applied to what is left.
  const auto millis = static_cast<std::int64_t>(std::llround(*number * 1000));
  if (name.starts_with("GreaterThan") || name == "Equals")
    after = std::max(after.value_or(WallTime::min()), from_millis(millis - 1));
  if (name.starts_with("LessThan") || name == "Equals")
    before = std::min(before.value_or(WallTime::max()), from_millis(millis + 1));
}

void narrow_by(const Value& filter, jobs::JobQuery& query) {
  const std::string_view name = filter.text_at("Name"), how = operator_of(filter);
  constexpr std::string_view kTags = "Tags.";
  if (name == "TrainingJobStatus" && how == "Equals")
    query.status = jobs::job_status_from(filter.text_at("Value"));
  if (name == "CreationTime") narrow_time(how, filter, query.created_after, query.created_before);
  if (name == "LastModifiedTime")
    narrow_time(how, filter, query.modified_after, query.modified_before);
  if (name == "TrainingJobName" && how == "Contains") query.name_contains = filter.text_at("Value");
  if (name.starts_with(kTags) && how == "Exists")
    query.tags.push_back({std::string(name.substr(kTags.size())), std::nullopt});
  if (name.starts_with(kTags) && how == "Equals" && !number_in(filter.text_at("Value")))
    query.tags.push_back({std::string(name.substr(kTags.size())),
                          std::string(filter.text_at("Value"))});
}

}  // namespace

std::vector<const Value*> values_at(const Value& record, std::string_view path) {
  std::vector<const Value*> found;
  constexpr std::string_view kTags = "Tags.", kMetrics = "Metrics.";
  const Value* tags = record.find("Tags");
  const Value* metrics = record.find("FinalMetricDataList");
  if (path.starts_with(kTags) && tags != nullptr)
    collect_named(*tags, "Key", path.substr(kTags.size()), found);
  else if (path.starts_with(kMetrics) && metrics != nullptr)
    collect_named(*metrics, "MetricName", path.substr(kMetrics.size()), found);
  else
    collect(record, path, found);
  return found;
}

int compare(const Value& a, const Value& b) {
  const auto left = a.kind == Kind::kString ? std::nullopt : number_of(a);
  const auto right = b.kind == Kind::kString ? std::nullopt : number_of(b);
  if (left && right) return *left < *right ? -1 : *left > *right;
  if (left.has_value() != right.has_value()) return left ? -1 : 1;
  const int order = text_of(a).compare(text_of(b));
  return order < 0 ? -1 : order > 0;
}

Status check_expression(const Value& expression) {
  Extent extent;
  std::multiset<std::string_view> contains;
  measure(expression, 0, extent, contains);
  if (extent.conditions == 0)
    return refused("SearchExpression needs at least one of Filters, NestedFilters, SubExpressions");
  if (extent.conditions > kSearchConditions)
    return refused("SearchExpression has " + std::to_string(extent.conditions) +
                   " conditions in all; at most " + std::to_string(kSearchConditions) +
                   " are allowed");
  for (const std::string_view name : contains)
    if (contains.count(name) > 1) return refused("'CONTAINS' operator usage limit of 1 exceeded.");
  return ok();
}

bool matches(const Value& expression, const Value& record) {
  std::size_t conditions = 0, met = 0;
  const bool any = any_of(expression);
  const auto decided = [&](bool holds) {
    ++conditions;
    met += holds;
    return holds == any;
  };
  for (const Value& filter : expression.items_at("Filters"))
    if (decided(satisfies(filter, values_at(record, filter.text_at("Name"))))) return any;
  for (const Value& nested : expression.items_at("NestedFilters"))
    if (decided(satisfies_nested(nested, record))) return any;
  for (const Value& sub : expression.items_at("SubExpressions"))
    if (decided(matches(sub, record))) return any;
  return conditions == met;
}

std::set<std::string> properties_of(const Value& expression) {
  std::set<std::string> names;
  for (const Value& filter : expression.items_at("Filters"))
    names.emplace(filter.text_at("Name"));
  for (const Value& nested : expression.items_at("NestedFilters"))
    names.emplace(nested.text_at("NestedPropertyName"));
  for (const Value& sub : expression.items_at("SubExpressions")) names.merge(properties_of(sub));
  return names;
}

void narrow(const Value& expression, jobs::JobQuery& query) {
  if (any_of(expression)) return;
  for (const Value& filter : expression.items_at("Filters")) narrow_by(filter, query);
  for (const Value& sub : expression.items_at("SubExpressions")) narrow(sub, query);
}

}  // namespace evener::operations
