#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "training/runner/json_text.h"
#include "training/runner/python_text.h"

namespace evener::runner {

namespace {

// Python keeps the order of the text, which str() shows.
using Json = nlohmann::ordered_json;

// Python's json.loads: JSON and the three words for numbers that are none.
std::optional<Json> decode(std::string_view text) {
  std::string_view word = text;
  while (!word.empty() && std::string_view(" \t\n\r").find(word.front()) != word.npos)
    word.remove_prefix(1);
  while (!word.empty() && std::string_view(" \t\n\r").find(word.back()) != word.npos)
    word.remove_suffix(1);
  if (word == "NaN") return Json(std::nan(""));
  if (word == "Infinity") return Json(HUGE_VAL);
  if (word == "-Infinity") return Json(-HUGE_VAL);
  Json value = Json::parse(text, nullptr, false);
  if (value.is_discarded()) return std::nullopt;
  // An integer that fits no 64 bits would lose digits as a float.
  if (value.is_number_float() && word.find_first_of(".eE") == word.npos) return std::nullopt;
  return value;
}

std::string dumps(const Json& value) {
  if (value.is_number_float()) {
    const double number = value.get<double>();
    if (std::isnan(number)) return "NaN";
    if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
    return python_float(number);
  }
  if (value.is_string()) return json_string(value.get_ref<const std::string&>());
  if (value.is_array()) {
    std::vector<std::string> items;
    for (const Json& item : value) items.push_back(dumps(item));
    return json_list(items);
  }
  if (value.is_object()) {
    std::map<std::string, std::string> members;
    for (const auto& [name, member] : value.items()) members[name] = dumps(member);
    return json_object(members);
  }
  return value.dump();
}

std::string python_text(const Json& value);

// repr() where it differs from str(): strings are quoted.
std::string python_repr(const Json& value) {
  return value.is_string() ? python_quoted(value.get_ref<const std::string&>())
                           : python_text(value);
}

std::string python_text(const Json& value) {
  if (value.is_null()) return "None";
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  if (value.is_number_float()) return python_float(value.get<double>());
  if (value.is_string()) return value.get<std::string>();
  std::string text;
  if (value.is_array()) {
    for (const Json& item : value) text += (text.empty() ? "" : ", ") + python_repr(item);
    return "[" + text + "]";
  }
  if (value.is_object()) {
    for (const auto& [name, member] : value.items())
      text += (text.empty() ? "" : ", ") + python_quoted(name) + ": " + python_repr(member);
    return "{" + text + "}";
  }
  return value.dump();
}

}  // namespace

std::string json_string(std::string_view text) {
  return Json(std::string(text)).dump(-1, ' ', true, Json::error_handler_t::replace);
}

std::string json_list(const std::vector<std::string>& json_items) {
  std::string text = "[";
  for (const std::string& item : json_items) text += (text.size() > 1 ? "," : "") + item;
  return text + "]";
}

std::string json_object(const std::map<std::string, std::string>& json_values) {
  std::string text = "{";
  for (const auto& [name, value] : json_values)
    text += (text.size() > 1 ? "," : "") + json_string(name) + ":" + value;
  return text + "}";
}

std::string json_strings(const std::vector<std::string>& texts) {
  std::vector<std::string> items;
  for (const std::string& text : texts) items.push_back(json_string(text));
  return json_list(items);
}

std::string sorted_json(std::string_view json) {
  const Json value = Json::parse(json, nullptr, false);
  return value.is_discarded() ? json_string(json) : dumps(value);
}

std::string value_json(std::string_view hyperparameter) {
  const std::optional<Json> value = decode(hyperparameter);
  return value ? dumps(*value) : json_string(hyperparameter);
}

std::string argument_text(std::string_view hyperparameter) {
  const std::optional<Json> value = decode(hyperparameter);
  if (!value) return std::string(hyperparameter);
  if (value->is_null()) return "";
  if (!value->is_object()) return python_text(*value);
  std::map<std::string, std::string> sorted;
  for (const auto& [name, member] : value->items()) sorted[name] = python_text(member);
  std::string text;
  for (const auto& [name, member] : sorted) text += (text.empty() ? "" : ",") + name + "=" + member;
  return text;
}

std::string variable_text(std::string_view hyperparameter) {
  const std::optional<Json> value = decode(hyperparameter);
  if (!value) return std::string(hyperparameter);
  if (value->is_null()) return "";
  return value->is_string() ? value->get<std::string>() : dumps(*value);
}

bool is_truthy(std::string_view hyperparameter) {
  const std::optional<Json> value = decode(hyperparameter);
  if (!value) return !hyperparameter.empty();
  if (value->is_boolean()) return value->get<bool>();
  if (value->is_number()) return value->get<double>() != 0;
  if (value->is_string()) return !value->get_ref<const std::string&>().empty();
  return !value->empty();  // null is empty
}

std::vector<std::string> string_items(std::string_view hyperparameter) {
  std::vector<std::string> items;
  const std::optional<Json> value = decode(hyperparameter);
  if (value && value->is_array())
    for (const Json& item : *value)
      if (item.is_string()) items.push_back(item.get<std::string>());
  return items;
}

}  // namespace evener::runner
