#include <algorithm>
#include <vector>

#include "storage/storage.h"

namespace evener::storage {
namespace {

tl::unexpected<Error> not_a_uri(std::string_view text, std::string_view why) {
  return failure(ErrorCode::kInvalidArgument, "'" + std::string(text) + "' " + std::string(why));
}

// Parts between slashes, empty ones included.
std::vector<std::string_view> split(std::string_view path) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto slash = path.find('/');
    parts.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos) return parts;
    path.remove_prefix(slash + 1);
  }
}

// An absolute path without its first slash, without `//`, `.` and `..`. A last slash stays: it
// says that a folder is meant.
std::string normal_key(std::string_view path) {
  std::vector<std::string_view> kept;
  bool folder = false;
  for (const std::string_view part : split(path)) {
    folder = part.empty() || part == "." || part == "..";
    if (part == ".." && !kept.empty()) kept.pop_back();
    if (!folder) kept.push_back(part);
  }
  std::string key;
  for (const std::string_view part : kept) key.append(part).push_back('/');
  if (!folder && !key.empty()) key.pop_back();
  return key;
}

bool is_scheme(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  });
}

Result<Uri> parse_file(std::string_view text, std::string_view path) {
  if (!path.starts_with('/'))
    return not_a_uri(text, "names a host; a file URI is file:/// and an absolute path");
  return Uri{"file", "", normal_key(path)};
}

Result<Uri> parse_bucket(std::string_view text, std::string_view scheme, std::string_view rest) {
  const auto slash = rest.find('/');
  const std::string_view bucket = rest.substr(0, slash);
  const std::string_view key = slash == std::string_view::npos ? "" : rest.substr(slash + 1);
  if (bucket.empty()) return not_a_uri(text, "names no bucket");
  for (const std::string_view part : split(key)) {
    // Keys become paths below a job's folders.
    if (part == "..") return not_a_uri(text, "holds '..'");
  }
  return Uri{std::string(scheme), std::string(bucket), std::string(key)};
}

}  // namespace

Result<Uri> parse_uri(std::string_view text) {
  if (text.empty()) return not_a_uri(text, "is not a path or a URI");
  if (text.find('\0') != std::string_view::npos)
    return not_a_uri(text.substr(0, text.find('\0')), "holds a zero byte");
  if (text.front() == '/') return parse_file(text, text);
  const auto colon = text.find("://");
  if (colon == std::string_view::npos) return not_a_uri(text, "is not an absolute path or a URI");
  const std::string_view scheme = text.substr(0, colon);
  const std::string_view rest = text.substr(colon + 3);
  if (!is_scheme(scheme)) return not_a_uri(text, "has no scheme that can be");
  return scheme == "file" ? parse_file(text, rest) : parse_bucket(text, scheme, rest);
}

std::string to_string(const Uri& uri) {
  return uri.scheme + "://" + uri.bucket + "/" + uri.key;
}

}  // namespace evener::storage
