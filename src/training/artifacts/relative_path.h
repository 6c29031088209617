// Paths below a folder as untrusted text: keys of objects, names in archives, symlinks.
//
// Used by:  staging, packing and unpacking in this folder.
// Threads:  pure functions.
// Fails:    kInvalidArgument on a path that could lead out of its folder; the message quotes it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace evener::artifacts {

// The parts between slashes; empty parts are dropped.
std::vector<std::string_view> path_parts(std::string_view path);

// The same path with single slashes. Refused: absolute, empty, `.` or `..` as a part, NUL bytes.
Result<std::string> safe_relative_path(std::string_view path);

// As safe_relative_path, but `.` parts are dropped, as archives write them ("./a"). The folder
// itself ("." or "./") comes back as "".
Result<std::string> safe_member_path(std::string_view path);

// Everything before the last slash; "" if there is none.
std::string_view parent_of(std::string_view path);

// Symlinks of a tree: path relative to its root -> target as stored.
using LinkMap = std::map<std::string, std::string, std::less<>>;

enum class LinkReach {
  kInside,    // every step of following it stays below the root
  kOutside,   // absolute, or some step leaves the root
  kEndless,   // a loop, or more steps than the kernel follows
};
// Follows the link at `path` through the other links of the tree, as the kernel would.
LinkReach follow_link(const LinkMap& links, std::string_view path);

// The target of the link at `path` as a relative one, if it is absolute and below `root_seen_as`
// (the absolute path of the tree's root as the writer of the link saw it); else unchanged.
std::string relative_target(std::string_view path, std::string_view target,
                            std::string_view root_seen_as);

}  // namespace evener::artifacts
