#include "storage/file_walk.h"
#include "storage/storage.h"

namespace evener::storage {
namespace {

using os::fs::path;

path path_of(const Uri& uri) { return "/" + uri.key; }

std::string last_part(const std::string& key) { return key.substr(key.rfind('/') + 1); }

Status check_scheme(const Uri& uri) {
  if (uri.scheme == "file" && uri.bucket.empty()) return ok();
  return failure(ErrorCode::kInvalidArgument, to_string(uri) + " is not a file");
}

Status check_object(const Uri& uri) {
  RETURN_IF_ERROR(check_scheme(uri));
  if (!last_part(uri.key).empty()) return ok();
  return failure(ErrorCode::kInvalidArgument, to_string(uri) + " names a folder, not a file");
}

class FileStore final : public ObjectStore {
 public:
  explicit FileStore(os::FileSystem& files) : files_(files) {}

  Result<std::vector<StoredObject>> list(const Uri& prefix) override {
    RETURN_IF_ERROR(check_scheme(prefix));
    FileWalk walk(files_);
    const Status walked = walk_prefix(walk, prefix);
    if (!walked) return failure_in("list " + to_string(prefix), walked.error());
    return walk.take();
  }

  Result<std::unique_ptr<os::ReadableFile>> open(const Uri& object) override {
    RETURN_IF_ERROR(check_object(object));
    return files_.open(path_of(object));
  }

  Result<std::unique_ptr<os::WritableFile>> create(const Uri& object) override {
    RETURN_IF_ERROR(check_object(object));
    const path target = path_of(object);
    RETURN_IF_ERROR(os::make_parent_directories(files_, target));
    return files_.create_replacing(target);
  }

  Result<std::unique_ptr<os::WritableFile>> create_new(const Uri& object) override {
    RETURN_IF_ERROR(check_object(object));
    const path target = path_of(object);
    RETURN_IF_ERROR(os::make_parent_directories(files_, target));
    return files_.create_new(target);
  }

  Status remove(const Uri& object) override {
    RETURN_IF_ERROR(check_object(object));
    Status removed = files_.remove_file(path_of(object));
    if (!removed && removed.error().code == ErrorCode::kNotFound) return ok();
    return removed;
  }

  std::optional<path> local_folder(const Uri& prefix) override {
    if (!check_scheme(prefix)) return std::nullopt;
    const path folder = path_of(prefix);
    const auto stat = files_.stat_followed(folder);
    if (!stat || stat->kind != os::FileKind::kDirectory) return std::nullopt;
    // Where the folder is shown elsewhere, its symlinks would lead to other places than here.
    const auto plain = is_plain_tree(files_, folder);
    if (!plain || !*plain) return std::nullopt;
    return folder;
  }

 private:
  Status walk_prefix(FileWalk& walk, const Uri& prefix) {
    const path whole = path_of(prefix);
    auto stat = files_.stat_followed(whole);
    if (stat && stat->kind == os::FileKind::kDirectory) return walk.add_folder(whole, *stat, "");
    if (stat) return walk.add(whole, last_part(prefix.key));
    if (stat.error().code != ErrorCode::kNotFound) return tl::unexpected(std::move(stat.error()));
    return walk_siblings(walk, prefix);
  }

  // Nothing has exactly the prefix as its name: what starts with it counts.
  Status walk_siblings(FileWalk& walk, const Uri& prefix) {
    const std::string start = last_part(prefix.key);
    const path folder = path_of(prefix).parent_path();
    const auto entries = files_.list(folder);
    if (start.empty() || (!entries && entries.error().code == ErrorCode::kNotFound)) return ok();
    if (!entries) return tl::unexpected(entries.error());
    for (const os::DirectoryEntry& entry : *entries) {
      if (entry.name.starts_with(start)) RETURN_IF_ERROR(walk.add(folder / entry.name, entry.name));
    }
    return ok();
  }

  os::FileSystem& files_;
};

}  // namespace

std::unique_ptr<ObjectStore> make_file_store(os::FileSystem& files) {
  return std::make_unique<FileStore>(files);
}

}  // namespace evener::storage
