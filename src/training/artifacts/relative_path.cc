#include "training/artifacts/relative_path.h"

#include <deque>

namespace evener::artifacts {
namespace {

// Linux gives up with ELOOP after this many links in one lookup.
constexpr int kLinkSteps = 40;

Result<std::string> checked_path(std::string_view path, std::string_view current_folder_part) {
  const auto refuse = [&](const char* why) {
    return failure(ErrorCode::kInvalidArgument, "path \"" + std::string(path) + "\" " + why);
  };
  if (path.find('\0') != std::string_view::npos) return refuse("contains a NUL byte");
  if (path.starts_with('/')) return refuse("is absolute");
  std::string joined;
  for (const std::string_view part : path_parts(path)) {
    if (part == "..") return refuse("leads out of its folder");
    if (part == current_folder_part) continue;
    if (part == ".") return refuse("contains \".\"");
    if (!joined.empty()) joined += '/';
    joined += part;
  }
  return joined;
}

std::string join_parts(const std::vector<std::string_view>& parts) {
  std::string joined;
  for (const std::string_view part : parts) {
    if (!joined.empty()) joined += '/';
    joined += part;
  }
  return joined;
}

}  // namespace

std::vector<std::string_view> path_parts(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    if (!part.empty()) parts.push_back(part);
    if (slash == std::string_view::npos) break;
    path.remove_prefix(slash + 1);
  }
  return parts;
}

Result<std::string> safe_relative_path(std::string_view path) {
  auto joined = checked_path(path, {});
  if (joined && joined->empty())
    return failure(ErrorCode::kInvalidArgument, "path \"" + std::string(path) + "\" names no file");
  return joined;
}

Result<std::string> safe_member_path(std::string_view path) { return checked_path(path, "."); }

std::string_view parent_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

LinkReach follow_link(const LinkMap& links, std::string_view path) {
  std::vector<std::string_view> at = path_parts(parent_of(path));
  const std::vector<std::string_view> own = path_parts(path);
  std::deque<std::string_view> ahead{own.back()};
  int steps = 0;
  while (!ahead.empty()) {
    const std::string_view part = ahead.front();
    ahead.pop_front();
    if (part == ".") continue;
    if (part == "..") {
      if (at.empty()) return LinkReach::kOutside;
      at.pop_back();
      continue;
    }
    at.push_back(part);
    const auto link = links.find(join_parts(at));
    if (link == links.end()) continue;
    if (++steps > kLinkSteps) return LinkReach::kEndless;
    if (link->second.starts_with('/')) return LinkReach::kOutside;
    at.pop_back();
    const std::vector<std::string_view> target = path_parts(link->second);
    ahead.insert(ahead.begin(), target.begin(), target.end());
  }
  return LinkReach::kInside;
}

std::string relative_target(std::string_view path, std::string_view target,
                            std::string_view root_seen_as) {
  while (root_seen_as.ends_with('/')) root_seen_as.remove_suffix(1);
  const bool below = !root_seen_as.empty() && target.starts_with(root_seen_as) &&
                     (target.size() == root_seen_as.size() || target[root_seen_as.size()] == '/');
  if (!below) return std::string(target);
  std::string relative;
  for (std::size_t depth = path_parts(parent_of(path)).size(); depth > 0; --depth)
    relative += "../";
  relative += join_parts(path_parts(target.substr(root_seen_as.size())));
  if (relative.empty()) return ".";
  if (relative.ends_with('/')) relative.pop_back();
  return relative;
}

}  // namespace evener::artifacts
