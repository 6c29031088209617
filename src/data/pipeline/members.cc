#include "data/pipeline/members.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "base/near_miss.h"

namespace evener::data::pipeline {
namespace {

using document::Kind;
using document::Value;

std::optional<double> number_of(const Value& value) {
  if (value.kind == Kind::kInteger) return static_cast<double>(value.integer);
  if (value.kind != Kind::kNumber) return std::nullopt;
  double number = 0;
  const std::string& text = value.text;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string spelled(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

}  // namespace

std::string place_of(const Lines& lines, const std::string& path) {
  std::string place = lines.file.empty() ? "" : lines.file + ":";
  // A member that is missing is missing in the line of what should hold it.
  for (std::string_view known = path; !lines.file.empty(); known = known.substr(0, known.rfind('.'))) {
    if (const auto line = lines.lines.find(known); line != lines.lines.end()) {
      place += std::to_string(line->second) + ":";
      break;
    }
    if (known.find('.') == std::string_view::npos) break;
  }
  return place + (place.empty() ? "" : " ") + path;
}

Members::Members(const Value& object, std::string path, const Lines& lines)
    : object_(object), path_(std::move(path)), lines_(lines) {
  if (object.kind != Kind::kObject)
    fault_ = place_of(lines_, path_.empty() ? "the pipeline" : path_) + " is to be a table, not " +
             std::string(document::to_string(object.kind));
}

std::string Members::path_of(std::string_view name) const {
  return path_.empty() ? std::string(name) : path_ + "." + std::string(name);
}

void Members::fail(std::string_view name, const std::string& fault) {
  if (fault_.empty()) fault_ = place_of(lines_, path_of(name)) + " " + fault;
}

const Value* Members::take(std::string_view name) {
  known_.push_back(name);
  return object_.find(name);
}

const Value* Members::need(std::string_view name) {
  const Value* value = take(name);
  if (value == nullptr) fail(name, "is missing");
  return value;
}

void Members::text(std::string_view name, std::string& into) {
  const Value* value = take(name);
  if (value == nullptr) return;
  if (value->kind != Kind::kString) return fail(name, "is to be a text");
  into = value->text;
}

void Members::whole(std::string_view name, std::int64_t least, std::int64_t most,
                    std::int64_t& into) {
  const Value* value = take(name);
  if (value == nullptr) return;
  if (value->kind != Kind::kInteger || value->integer < least || value->integer > most)
    return fail(name, "is to be a whole number from " + std::to_string(least) + " to " +
                          std::to_string(most));
  into = value->integer;
}

void Members::number(std::string_view name, double least, double most, double& into) {
  const Value* value = take(name);
  if (value == nullptr) return;
  const auto found = number_of(*value);
  if (!found || *found < least || *found > most)
    return fail(name, "is to be a number from " + spelled(least) + " to " + spelled(most));
  into = *found;
}

void Members::numbers(std::string_view name, double* into, std::size_t count) {
  const Value* value = take(name);
  if (value == nullptr) return;
  const bool fits = value->kind == Kind::kList && value->items.size() == count;
  for (std::size_t i = 0; fits && i < count; ++i) {
    const auto found = number_of(value->items[i]);
    if (!found) return fail(name, "is to be a list of " + std::to_string(count) + " numbers");
    into[i] = *found;
  }
  if (!fits) fail(name, "is to be a list of " + std::to_string(count) + " numbers");
}

void Members::truth(std::string_view name, bool& value) {
  const Value* found = take(name);
  if (found == nullptr) return;
  if (found->kind != Kind::kBoolean) return fail(name, "is to be true or false");
  value = found->boolean;
}

void Members::size(std::string_view name, images::Size& into) {
  const Value* value = take(name);
  if (value == nullptr) return;
  const auto side = [](const Value& number) {
    const bool fits =
        number.kind == Kind::kInteger && number.integer >= 1 && number.integer <= kMaxSide;
    return fits ? static_cast<int>(number.integer) : 0;
  };
  if (value->kind == Kind::kList && value->items.size() == 2) {
    into = {.width = side(value->items[1]), .height = side(value->items[0])};
  } else {
    into = {.width = side(*value), .height = side(*value)};
  }
  if (into.width == 0 || into.height == 0)
    fail(name, "is to be a number of pixels or [height, width], each from 1 to " +
                   std::to_string(kMaxSide));
}

void Members::fail_choice(std::string_view name, const std::string& word,
                          const std::vector<std::string_view>& known) {
  std::string all;
  for (const std::string_view one : known) {
    const char* joint = all.empty() ? "" : one == known.back() ? " or " : ", ";
    all += joint + std::string(one);
  }
  fail(name, "is '" + word + "', but can be " + all + did_you_mean(word, known));
}

Status Members::finish() {
  if (fault_.empty()) {
    for (const document::Member& member : object_.members) {
      if (std::ranges::find(known_, member.name) != known_.end()) continue;
      fault_ = place_of(lines_, path_of(member.name)) + " is no member that is known" +
               did_you_mean(member.name, known_);
      break;
    }
  }
  return fault_.empty() ? ok() : failure(ErrorCode::kInvalidArgument, fault_);
}

}  // namespace evener::data::pipeline
