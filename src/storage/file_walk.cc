#include "storage/file_walk.h"

#include <algorithm>

namespace evener::storage {
namespace {

tl::unexpected<Error> refused(const os::fs::path& path, std::string_view why) {
  return failure(ErrorCode::kInvalidArgument, path.string() + " " + std::string(why));
}

}  // namespace

Status FileWalk::add(const os::fs::path& path, const std::string& key) {
  auto stat = files_.stat_followed(path);
  // A missing target must not read as a missing prefix.
  if (!stat && stat.error().code == ErrorCode::kNotFound)
    return refused(path, files_.stat(path) ? "is a symlink to nothing; remove it or make its target"
                                           : "went away while the folder was listed");
  if (!stat) return tl::unexpected(std::move(stat.error()));
  switch (stat->kind) {
    case os::FileKind::kDirectory: return add_folder(path, *stat, key + "/");
    case os::FileKind::kRegular: break;
    case os::FileKind::kSymlink:
    case os::FileKind::kOther:
      return refused(path, "is not a regular file or a folder, but a FIFO, socket or device; "
                           "move it elsewhere");
  }
  if (found_.size() >= kMaxListedObjects)
    return failure(ErrorCode::kLimitExceeded,
                   path.string() + ": over " + std::to_string(kMaxListedObjects) + " files");
  found_.push_back({key, "file://" + path.string(), stat->size, version_of(*stat)});
  return ok();
}

Status FileWalk::add_folder(const os::fs::path& folder, const os::FileStat& stat,
                            const std::string& prefix) {
  const std::pair identity{stat.device, stat.inode};
  if (std::ranges::find(ancestors_, identity) != ancestors_.end())
    return refused(folder, "leads back to a folder that holds it");
  if (ancestors_.size() >= kMaxWalkDepth)
    return failure(ErrorCode::kLimitExceeded, folder.string() + ": over " +
                                                  std::to_string(kMaxWalkDepth) + " folders deep");
  auto entries = files_.list(folder);
  if (!entries) return tl::unexpected(std::move(entries.error()));
  ancestors_.push_back(identity);
  for (const os::DirectoryEntry& entry : *entries)
    RETURN_IF_ERROR(add(folder / entry.name, prefix + entry.name));
  ancestors_.pop_back();
  return ok();
}

std::vector<StoredObject> FileWalk::take() {
  std::ranges::sort(found_, {}, &StoredObject::key);
  return std::move(found_);
}

Result<bool> is_plain_tree(os::FileSystem& files, const os::fs::path& folder) {
  const auto top = files.stat_followed(folder);
  if (!top) return tl::unexpected(top.error());
  std::vector<os::fs::path> waiting{folder};
  while (!waiting.empty()) {
    const os::fs::path next = std::move(waiting.back());
    waiting.pop_back();
    const auto stat = files.stat_followed(next);
    if (!stat) return tl::unexpected(stat.error());
    if (stat->device != top->device) return false;
    auto entries = files.list(next);
    if (!entries) return tl::unexpected(std::move(entries.error()));
    for (const os::DirectoryEntry& entry : *entries) {
      if (entry.kind == os::FileKind::kDirectory) {
        waiting.push_back(next / entry.name);
      } else if (entry.kind != os::FileKind::kRegular) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace evener::storage
