// Copies of source code: folders of this machine and objects of stores.
//
// Used by:  prepare_code.
// Threads:  functions block.
// Fails:    kLimitExceeded above kSourceLimitBytes or kSourceDepthLimit; errors of the file system
//           and the store, naming the path.
#pragma once

#include <filesystem>
#include <vector>

#include "os/file_system.h"
#include "storage/storage.h"

namespace evener::runner {

inline constexpr int kSourceDepthLimit = 64;  // folders below each other

// Regular files with their modes, folders, symlinks as they are; other kinds are left out, and so
// is the folder that holds `target`, where the source encloses it.
Status copy_source(const std::filesystem::path& source, const std::filesystem::path& target,
                   os::FileSystem& files);

Status fetch_object(const storage::StoredObject& object, storage::ObjectStore& store,
                    const std::filesystem::path& target, os::FileSystem& files);
// Each to its key below `folder`.
Status fetch_objects(const std::vector<storage::StoredObject>& objects, storage::ObjectStore& store,
                     const std::filesystem::path& folder, os::FileSystem& files);

}  // namespace evener::runner
