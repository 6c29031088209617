#include "training/api/request_uris.h"

#include <filesystem>

namespace evener::api {

std::string to_uri(std::string_view text, std::string_view directory) {
  if (text.empty() || text.find("://") != std::string_view::npos) return std::string(text);
  std::filesystem::path path(text);
  if (path.is_relative()) {
    if (directory.empty()) return std::string(text);
    path = std::filesystem::path(directory) / path;
  }
  return "file://" + path.lexically_normal().string();
}

namespace {

void make_absolute(document::Value* owner, std::string_view member, std::string_view directory) {
  if (owner == nullptr || owner->kind != document::Kind::kObject) return;
  document::Value* uri = owner->find(member);
  if (uri != nullptr && uri->kind == document::Kind::kString) uri->text = to_uri(uri->text, directory);
}

// The SDK writes hyperparameters as JSON, so the path may stand in quotes of its own. An absolute
// path stays: it may be one inside the instance.
void make_source_absolute(document::Value* hyperparameters, std::string_view directory) {
  if (hyperparameters == nullptr || hyperparameters->kind != document::Kind::kObject) return;
  document::Value* source = hyperparameters->find("sagemaker_submit_directory");
  if (source == nullptr || source->kind != document::Kind::kString) return;
  std::string_view path = source->text;
  const bool quoted = path.size() >= 2 && path.starts_with('"') && path.ends_with('"');
  if (quoted) path = path.substr(1, path.size() - 2);
  if (path.empty() || path.starts_with('/') || path.find('\\') != path.npos) return;
  const std::string uri = to_uri(path, directory);
  source->text = quoted ? document::quote(uri) : uri;
}

}  // namespace

void make_uris_absolute(document::Value& request, std::string_view directory) {
  make_absolute(request.find("OutputDataConfig"), "S3OutputPath", directory);
  make_absolute(request.find("CheckpointConfig"), "S3Uri", directory);
  make_source_absolute(request.find("HyperParameters"), directory);
  document::Value* channels = request.find("InputDataConfig");
  if (channels == nullptr) return;
  for (document::Value& channel : channels->items) {
    document::Value* source = channel.find("DataSource");
    if (source != nullptr) make_absolute(source->find("S3DataSource"), "S3Uri", directory);
  }
}

}  // namespace evener::api
