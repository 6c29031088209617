#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/document.h"
#include "base/visible.h"

namespace evener::document {

namespace {

using Json = nlohmann::json;

std::string place_of(std::string_view text, std::size_t position) {
  const std::string_view before = text.substr(0, std::min(position, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 == 0
  return "line " + std::to_string(line) + ", column " +
         std::to_string(std::max<std::size_t>(1, before.size() - line_start));
}

// What the library says was wrong and what was expected, without its name and its own place.
std::string reason_of(std::string_view what) {
  for (const std::string_view lead : {"syntax error ", "] "}) {
    const std::size_t at = what.find(lead);
    if (at != std::string_view::npos) return std::string(what.substr(at + (lead == "] " ? 2 : 0)));
  }
  return std::string(what);
}

// A message must be printable and valid UTF-8 whatever the body held.
std::string printable(std::string_view text) {
  std::string out = visible_ascii(text);
  constexpr std::size_t kLimit = 300;  // characters of a message
  if (out.size() > kLimit) out = out.substr(0, kLimit) + "...";
  return out;
}

class TreeBuilder {
 public:
  TreeBuilder(std::string_view text, const ReadLimits& limits) : text_(text), limits_(limits) {}

  Value take() { return std::move(root_); }
  const std::string& error() const { return error_; }

  bool null() { return add(Value{}); }
  bool boolean(bool value) { return add(make_boolean(value)); }
  bool number_integer(std::int64_t value) { return add(make_integer(value)); }
  bool number_unsigned(std::uint64_t value) {
    if (value <= static_cast<std::uint64_t>(INT64_MAX))
      return add(make_integer(static_cast<std::int64_t>(value)));
    Value number;
    number.kind = Kind::kNumber;
    number.text = std::to_string(value);
    return add(std::move(number));
  }
  bool number_float(double, const std::string& literal) {
    Value number;
    number.kind = Kind::kNumber;
    number.text = literal;
    return add(std::move(number));
  }
  bool string(std::string& value) {
    if (limits_.nul == Nul::kRefused && value.find('\0') != std::string::npos)
      return refuse("the string \"" + printable(value) +
                    "\" holds the character NUL (\\u0000), which no file name, argument or "
                    "variable can hold");
    return add(make_string(value));
  }
  bool binary(Json::binary_t&) { return refuse("binary values are not JSON"); }

  bool start_object(std::size_t) {
    names_.emplace_back();
    return open(make_object());
  }
  bool key(std::string& name) {
    if (!names_.back().insert(name).second)
      return refuse("the member \"" + printable(name) + "\" is given twice" + inside());
    keys_.push_back(name);
    return true;
  }
  bool end_object() {
    names_.pop_back();
    return close();
  }
  bool start_array(std::size_t) { return open(make_list({})); }
  bool end_array() { return close(); }

  bool parse_error(std::size_t position, const std::string&, const Json::exception& exception) {
    return refuse("the body is not valid JSON: " + place_of(text_, position) + ": " + printable(reason_of(exception.what())));
  }

 private:
  bool refuse(std::string why) {
    error_ = std::move(why);
    return false;
  }

  // " in X.Y": the members that lead to the open object.
  std::string inside() const {
    std::string path;
    for (const std::string& name : keys_) path += (path.empty() ? "" : ".") + printable(name);
    return path.empty() ? "" : " in " + path;
  }

  bool add(Value value) {
    if (++values_ > limits_.values)
      return refuse("the body holds more than " + std::to_string(limits_.values) + " values");
    if (open_.empty()) {
      root_ = std::move(value);
      return true;
    }
    Value& parent = open_.back();
    if (parent.kind == Kind::kList) {
      parent.items.push_back(std::move(value));
      return true;
    }
    if (value.kind != Kind::kNull)
      parent.members.push_back(Member{std::move(keys_.back()), std::move(value)});
    keys_.pop_back();
    return true;
  }

  bool open(Value value) {
    if (open_.size() == kDepthLimit)
      return refuse("the body is nested more than " + std::to_string(kDepthLimit) +
                    " levels deep");
    open_.push_back(std::move(value));
    return true;
  }

  bool close() {
    Value done = std::move(open_.back());
    open_.pop_back();
    return add(std::move(done));
  }

  std::string_view text_;
  const ReadLimits limits_;
  std::size_t values_ = 0;
  Value root_;
  std::vector<Value> open_;                    // containers that are not closed yet
  std::vector<std::string> keys_;              // members whose value is still to come
  std::vector<std::set<std::string>> names_;   // per open object
  std::string error_;
};

void write_to(const Value& value, std::string& out) {
  switch (value.kind) {
    case Kind::kNull: out += "null"; return;
    case Kind::kBoolean: out += value.boolean ? "true" : "false"; return;
    case Kind::kInteger:
    case Kind::kNumber: out += value.text; return;
    case Kind::kString: out += quote(value.text); return;
    case Kind::kList: {
      out += '[';
      for (std::size_t i = 0; i < value.items.size(); ++i) {
        if (i > 0) out += ',';
        write_to(value.items[i], out);
      }
      out += ']';
      return;
    }
    case Kind::kObject: {
      out += '{';
      for (std::size_t i = 0; i < value.members.size(); ++i) {
        if (i > 0) out += ',';
        out += quote(value.members[i].name) + ":";
        write_to(value.members[i].value, out);
      }
      out += '}';
      return;
    }
  }
}

}  // namespace

Result<Value> read(std::string_view json, const ReadLimits& limits) {
  if (json.size() > limits.bytes)
    return failure(ErrorCode::kInvalidArgument,
                   "the body is " + std::to_string(json.size()) + " bytes long; the limit is " +
                       std::to_string(limits.bytes) + " bytes (" +
                       std::to_string(limits.bytes >> 20) + " MiB)");
  TreeBuilder builder(json, limits);
  bool read = false;
  try {
    read = Json::sax_parse(json.begin(), json.end(), &builder);
  } catch (const Json::exception& exception) {
    return failure(ErrorCode::kInvalidArgument,
                   "the body is not valid JSON: " + printable(reason_of(exception.what())));
  }
  if (!read) return failure(ErrorCode::kInvalidArgument, builder.error());
  return builder.take();
}

std::string write(const Value& value) {
  std::string out;
  write_to(value, out);
  return out;
}

std::string quote(std::string_view text) {
  return Json(std::string(text)).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace evener::document
