#include "base/document.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/check.h"

namespace evener::document {

std::string_view to_string(Kind kind) {
  switch (kind) {
    case Kind::kNull: return "null";
    case Kind::kBoolean: return "a boolean";
    case Kind::kInteger: return "a whole number";
    case Kind::kNumber: return "a number";
    case Kind::kString: return "a string";
    case Kind::kList: return "a list";
    case Kind::kObject: return "an object";
  }
  return "";
}

const Value* Value::find(std::string_view name) const {
  const auto found = std::find_if(members.begin(), members.end(),
                                  [&](const Member& member) { return member.name == name; });
  return found == members.end() || found->value.kind == Kind::kNull ? nullptr : &found->value;
}

Value* Value::find(std::string_view name) {
  return const_cast<Value*>(std::as_const(*this).find(name));
}

std::string_view Value::text_at(std::string_view name) const {
  const Value* member = find(name);
  return member != nullptr && member->kind == Kind::kString ? std::string_view(member->text) : "";
}

const std::vector<Value>& Value::items_at(std::string_view name) const {
  static const std::vector<Value> kNone;
  const Value* member = find(name);
  return member != nullptr ? member->items : kNone;
}

bool Value::true_at(std::string_view name) const {
  const Value* member = find(name);
  return member != nullptr && member->boolean;
}

void Value::set(std::string_view name, Value value) {
  const auto found = std::find_if(members.begin(), members.end(),
                                  [&](const Member& member) { return member.name == name; });
  if (found != members.end())
    found->value = std::move(value);
  else
    members.push_back(Member{std::string(name), std::move(value)});
}

std::size_t held_bytes(const Value& value) {
  std::size_t bytes = sizeof(Value) + value.text.size();
  for (const Value& item : value.items) bytes += held_bytes(item);
  for (const Member& member : value.members)
    bytes += sizeof(Member) - sizeof(Value) + member.name.size() + held_bytes(member.value);
  return bytes;
}

Value make_string(std::string_view text) {
  Value value;
  value.kind = Kind::kString;
  value.text = text;
  return value;
}

Value make_integer(std::int64_t number) {
  Value value;
  value.kind = Kind::kInteger;
  value.integer = number;
  value.text = std::to_string(number);
  return value;
}

Value make_number(double number) {
  CHECK(std::isfinite(number), "JSON has no other numbers");
  constexpr std::size_t kLongest = 32;  // "-2.2250738585072014e-308" has 24
  char digits[kLongest];
  const auto end = std::to_chars(digits, digits + kLongest, number).ptr;
  Value value;
  value.kind = Kind::kNumber;
  value.text.assign(digits, end);
  return value;
}

Value make_boolean(bool boolean) {
  Value value;
  value.kind = Kind::kBoolean;
  value.boolean = boolean;
  return value;
}

Value make_list(std::vector<Value> items) {
  Value value;
  value.kind = Kind::kList;
  value.items = std::move(items);
  return value;
}

Value make_object() {
  Value value;
  value.kind = Kind::kObject;
  return value;
}

Value make_seconds(std::int64_t millis) {
  Value value;
  value.kind = Kind::kNumber;
  const std::int64_t part = millis % 1000;
  value.text = std::to_string(millis / 1000) + "." + std::to_string(1000 + part).substr(1);
  return value;
}

}  // namespace evener::document
