#include <nlohmann/json.hpp>

#include "training/artifacts/manifest.h"

namespace evener::artifacts {

Result<Manifest> parse_manifest(std::string_view text) {
  const auto corrupt = [](const std::string& what) {
    return failure(ErrorCode::kCorrupt,
                   "the manifest " + what +
                       R"(; expected [{"prefix": "s3://bucket/path/"}, "key1", "key2", ...])");
  };
  nlohmann::json json;
  try {
    json = nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    return corrupt("is not valid JSON at byte " + std::to_string(error.byte));
  }
  if (!json.is_array() || json.empty()) return corrupt("is not a list, or an empty one");
  const nlohmann::json& head = json.front();
  if (!head.is_object() || !head.contains("prefix") || !head["prefix"].is_string())
    return corrupt("does not begin with an object with \"prefix\"");
  Manifest manifest{.prefix = head["prefix"].get<std::string>(), .names = {}};
  for (std::size_t index = 1; index < json.size(); ++index) {
    if (!json[index].is_string())
      return corrupt("has an element " + std::to_string(index) + " that is not text");
    manifest.names.push_back(json[index].get<std::string>());
  }
  return manifest;
}

}  // namespace evener::artifacts
