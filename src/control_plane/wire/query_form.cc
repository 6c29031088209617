#include "control_plane/wire/query_form.h"

#include <charconv>
#include <optional>
#include <vector>

#include "base/utf8.h"
#include "control_plane/wire/leaf_kinds.h"

namespace evener::wire {
namespace {

using document::Kind;
using document::Value;

tl::unexpected<Error> malformed(std::string what) {
  return failure(ErrorCode::kInvalidArgument, "SerializationException: " + std::move(what));
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> unescape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      if (text.size() - i < 3) return std::nullopt;
      const int high = hex_digit(text[i + 1]);
      const int low = hex_digit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  if (valid_utf8(out) != out || out.find('\0') != std::string::npos) return std::nullopt;
  return out;
}

struct Parameter {
  std::string_view name;
  std::string_view value;
};

// Takes the next one off `form`.
Parameter next_parameter(std::string_view& form) {
  const std::string_view one = form.substr(0, form.find('&'));
  form.remove_prefix(std::min(form.size(), one.size() + 1));
  const std::size_t equals = std::min(one.find('='), one.size());
  return {one.substr(0, equals), one.substr(std::min(one.size(), equals + 1))};
}

std::vector<std::string_view> split(std::string_view name) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t dot = name.find('.');
    parts.push_back(name.substr(0, dot));
    if (dot == std::string_view::npos) return parts;
    name.remove_prefix(dot + 1);
  }
}

// The item of that number; clients count from 1 without gaps.
Value* list_item(Value& list, std::string_view number) {
  std::size_t index = 0;
  const char* end = number.data() + number.size();
  const auto parsed = std::from_chars(number.data(), end, index);
  if (parsed.ec != std::errc() || parsed.ptr != end || index == 0) return nullptr;
  if (index > list.items.size() + 1) return nullptr;
  if (index == list.items.size() + 1) list.items.emplace_back();
  return &list.items[index - 1];
}

Value* member_of(Value& object, std::string_view name) {
  if (name.empty()) return nullptr;
  for (auto& member : object.members)
    if (member.name == name) return &member.value;
  if (object.members.size() == kFormMembers) return nullptr;
  object.members.push_back({std::string(name), Value{}});
  return &object.members.back().value;
}

// Goes from `place` to where `parts` lead, making what is not there; nullptr if something of
// another kind is in the way.
Value* walk(Value& root, const std::vector<std::string_view>& parts, std::string_view& leaf) {
  Value* place = &root;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool list = i > 0 && parts[i] == "member" && i + 1 < parts.size();
    const Kind wanted = list ? Kind::kList : Kind::kObject;
    if (place->kind == Kind::kNull) place->kind = wanted;
    if (place->kind != wanted) return nullptr;
    if (list) {
      place = list_item(*place, parts[++i]);
    } else {
      place = member_of(*place, parts[i]);
      leaf = parts[i];
    }
    if (place == nullptr) return nullptr;
  }
  return place;
}

Status put(Value& root, const std::string& name, const std::string& text) {
  const auto parts = split(name);
  if (parts.size() > kFormDepth) return malformed("a parameter's name is nested too deep");
  std::string_view leaf;
  Value* place = walk(root, parts, leaf);
  if (place == nullptr || place->kind != Kind::kNull)
    return malformed("the parameter " + cut_utf8(name, 200) + " does not fit the others");
  if (text.empty() && is_list(parts.back())) {
    *place = document::make_list({});
    return ok();
  }
  auto value = read_leaf(leaf, text);
  if (!value) return tl::unexpected<Error>(value.error());
  *place = std::move(*value);
  return ok();
}

}  // namespace

std::string form_parameter(std::string_view form, std::string_view name) {
  while (!form.empty()) {
    const Parameter parameter = next_parameter(form);
    if (parameter.name == name) return unescape(parameter.value).value_or("");
  }
  return "";
}

Result<Value> read_form(std::string_view form) {
  Value root = document::make_object();
  if (form.size() > document::kLimitBytes) return malformed("the body is over 1 MiB");
  for (std::size_t count = 0; !form.empty(); ++count) {
    if (count == kFormParameters) return malformed("too many parameters");
    const Parameter parameter = next_parameter(form);
    if (parameter.name.empty()) continue;
    const auto name = unescape(parameter.name);
    const auto value = unescape(parameter.value);
    if (!name || !value) return malformed("a parameter is not percent-encoded UTF-8");
    if (*name == "Action" || *name == "Version") continue;
    RETURN_IF_ERROR(put(root, *name, *value));
  }
  return root;
}

}  // namespace evener::wire
