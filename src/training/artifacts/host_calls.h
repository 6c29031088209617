// Two calls of Linux that the file system seam has no word for.
//
// Used by:  staging.
// Threads:  any.
// Fails:    kUnsupported where the file system or the rights do not allow it (do without); else
//           errors as the seam gives them.
#pragma once

#include <filesystem>

#include "base/result.h"

namespace evener::artifacts {

// Marks `path` in the upper folder of an overlay as deleted. Needs no privilege since Linux 5.8.
Status make_whiteout(const std::filesystem::path& path);

// Makes `to`, which must not exist, share the blocks of `from` until either is written.
Status clone_file(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace evener::artifacts
