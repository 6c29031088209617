// Input shown without copying: the user's folder as the lower side of an overlay.
//
// Used by:  staging.
// Threads:  functions that block.
// Fails:    errors of the file system.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/file_system.h"
#include "training/artifacts/shard.h"

namespace evener::artifacts {

// A whiteout is one inode in the host's folder, made in some 10 us and removed again with the
// job; with more of them copying the few files that are shown is no slower.
inline constexpr std::size_t kMostWhiteouts = 50'000;

enum class Showing { kOverlay, kCopy };

// Whether every host of the share can see the folder as it is. A store gives no folder that
// holds symlinks: inside an instance they would lead to other places.
Showing choose_showing(const ChannelShare& share, const std::vector<std::string>& paths);

// Hides in the overlay's upper folder all but the objects `shown`. kUnsupported where the machine
// refuses whiteouts.
Status hide_others(os::FileSystem& files, const std::filesystem::path& upper,
                   const std::vector<std::string>& paths, const std::vector<std::size_t>& shown);

}  // namespace evener::artifacts
