// Its parser asserts what text of users can break (a table that begins "[="), and has an error for it:
// the error is enough. The same in all files that include it.
#define TOML_ASSERT(expression) static_cast<void>(0)
#include <toml++/toml.h>

#include <cmath>

#include "data/pipeline/definition.h"

namespace evener::data::pipeline {
namespace {

using document::Value;

constexpr std::size_t kDepthLimit = 8;

// A TOML tree as a document; notes where each member stands.
class Conversion {
 public:
  explicit Conversion(Lines& lines) : lines_(lines) {}

  Result<Value> convert(const toml::node& node, const std::string& path, std::size_t depth) {
    if (!path.empty()) lines_.lines[path] = node.source().begin.line;
    if (depth > kDepthLimit) return wrong(node, path + " is too deep");
    if (const auto* table = node.as_table()) return convert_table(*table, path, depth);
    if (const auto* array = node.as_array()) return convert_array(*array, path, depth);
    if (const auto* text = node.as_string()) return document::make_string(text->get());
    if (const auto* whole = node.as_integer()) return document::make_integer(whole->get());
    if (const auto* truth = node.as_boolean()) return document::make_boolean(truth->get());
    if (const auto* number = node.as_floating_point()) {
      if (std::isfinite(number->get())) return document::make_number(number->get());
      return wrong(node, path + " is no finite number");
    }
    return wrong(node, path + " is a date, which means nothing here");
  }

 private:
  Result<Value> convert_table(const toml::table& table, const std::string& path,
                              std::size_t depth) {
    Value object = document::make_object();
    for (const auto& [key, node] : table) {
      const std::string name(key.str());
      auto value = convert(node, path.empty() ? name : path + "." + name, depth + 1);
      if (!value) return value;
      object.set(name, std::move(*value));
    }
    return object;
  }

  Result<Value> convert_array(const toml::array& array, const std::string& path,
                              std::size_t depth) {
    std::vector<Value> items;
    for (const toml::node& node : array) {
      auto value = convert(node, path + "[" + std::to_string(items.size()) + "]", depth + 1);
      if (!value) return value;
      items.push_back(std::move(*value));
    }
    return document::make_list(std::move(items));
  }

  tl::unexpected<Error> wrong(const toml::node& node, const std::string& fault) const {
    return failure(ErrorCode::kInvalidArgument,
                   lines_.file + ":" + std::to_string(node.source().begin.line) + ": " + fault);
  }

  Lines& lines_;
};

Result<Value> parse(const std::string& text, Lines& lines) {
  try {
    const toml::table root = toml::parse(text, lines.file);
    return Conversion(lines).convert(root, "", 0);
  } catch (const toml::parse_error& error) {
    return failure(ErrorCode::kInvalidArgument,
                   lines.file + ":" + std::to_string(error.source().begin.line) + ": " +
                       std::string(error.description()));
  }
}

}  // namespace

Result<Definition> read_toml_definition(const std::string& text, const std::string& file,
                                        std::string_view folder) {
  if (text.size() > kMaxDefinitionBytes)
    return failure(ErrorCode::kLimitExceeded, file + " has more than " +
                                                  std::to_string(kMaxDefinitionBytes) + " bytes");
  Lines lines{.file = file, .lines = {}};
  auto value = parse(text, lines);
  if (!value) return tl::unexpected(std::move(value.error()));
  return read_definition(*value, folder, lines);
}

}  // namespace evener::data::pipeline
