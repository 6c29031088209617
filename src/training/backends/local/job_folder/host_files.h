// Reading what a user's program left in its instance without being led astray by it: symlinks,
// FIFOs and huge files where a plain file or folder is expected.
//
// Used by:  TrainPhase (failure file), store_results and keep_results (folders to take).
// Threads:  functions.
// Fails:    never; what is not as expected counts as absent.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace evener::backends {

inline constexpr std::size_t kMaxFailureTextBytes = 1024;

// The first kMaxFailureTextBytes of output/failure below `ml_folder` as valid UTF-8; "" if there
// is no regular file on a path free of symlinks.
std::string read_failure_text(const std::filesystem::path& ml_folder);

// Whether every part of `relative` below `ml_folder` is a folder and no symlink.
bool is_plain_folder(const std::filesystem::path& ml_folder,
                     const std::vector<std::string>& relative);

}  // namespace evener::backends
