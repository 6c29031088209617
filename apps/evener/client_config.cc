#include "evener/client_config.h"

#include <algorithm>

namespace evener::app {
namespace {

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-+./:@%=").find(c) != std::string_view::npos;
}

// In single quotes each is doubled.
std::string yaml_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("''") : std::string(1, c);
  return out + "'";
}

}  // namespace

std::string client_config_text(const ClientConfig& config) {
  return "SchemaVersion: '1.0'\n"
         "SageMaker:\n"
         "  PythonSDK:\n"
         "    Modules:\n"
         "      TelemetryOptOut: true\n"
         "      Session:\n"
         "        DefaultS3Bucket: " + yaml_quoted(config.bucket) + "\n"
         "  TrainingJob:\n"
         "    RoleArn: " + yaml_quoted(config.role) + "\n";
}

Result<std::filesystem::path> write_client_config(const ClientConfig& config, os::FileSystem& files) {
  const auto folder = std::filesystem::absolute(config.folder).lexically_normal();
  RETURN_IF_ERROR(files.make_directories(folder));
  const auto file = folder / "config.yaml";
  RETURN_IF_ERROR(os::write_text(files, file, client_config_text(config), os::Durability::kNone));
  return file;
}

std::string shell_quoted(const std::string& text) {
  if (!text.empty() && std::ranges::all_of(text, is_plain)) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace evener::app
