// Copies a folder with everything in it; symlinks stay symlinks.
//
// Used by:  show_code, where the machine refuses overlays.
// Threads:  a function.
// Fails:    errors of the file system; what was copied until then stays.
#pragma once

#include <filesystem>

#include "base/result.h"
#include "os/file_system.h"

namespace evener::backends {

// Files that are neither regular, folders nor symlinks are left out.
Status copy_tree(os::FileSystem& files, const std::filesystem::path& from,
                 const std::filesystem::path& to);

}  // namespace evener::backends
