// Walks a folder as an object store sees it: files by their paths, symlinks followed.
//
// Used by:  file_store.cc only.
// Threads:  one.
// Fails:    kInvalidArgument on a cycle and on what is not a regular file, kLimitExceeded, else
//           as the file system does; every message names the path.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "os/file_system.h"
#include "storage/storage.h"

namespace evener::storage {

inline constexpr std::size_t kMaxListedObjects = 20'000'000;
inline constexpr std::size_t kMaxWalkDepth = 1000;  // folders within folders

class FileWalk {
 public:
  explicit FileWalk(os::FileSystem& files) : files_(files) {}

  // Adds the file at `path`, or all files below it, under `key`.
  Status add(const os::fs::path& path, const std::string& key);
  // Adds all files below the folder; `prefix` is empty or ends in a slash.
  Status add_folder(const os::fs::path& folder, const os::FileStat& stat,
                    const std::string& prefix);
  // Sorted by key.
  std::vector<StoredObject> take();

 private:
  os::FileSystem& files_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ancestors_;  // device and inode
  std::vector<StoredObject> found_;
};

// True if the folder and all below it holds only folders and regular files, no symlinks, and no
// other file system is mounted below it: an overlay or a bind of it shows the same files.
Result<bool> is_plain_tree(os::FileSystem& files, const os::fs::path& folder);

}  // namespace evener::storage
