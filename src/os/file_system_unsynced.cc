#include "os/file_system_unsynced.h"

#include <algorithm>
#include <utility>

namespace evener::os {

class UnsyncedFileSystem::File final : public WritableFile {
 public:
  File(std::unique_ptr<WritableFile> inner, std::shared_ptr<Length> length)
      : inner_(std::move(inner)), length_(std::move(length)) {}

  Status append(std::span<const std::byte> bytes) override {
    length_->written += bytes.size();
    return inner_->append(bytes);
  }
  Status write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
    length_->written = std::max(length_->written, offset + bytes.size());
    length_->synced = length_->written;
    return inner_->write_at(offset, bytes);
  }
  Status sync() override {
    RETURN_IF_ERROR(inner_->sync());
    length_->synced = length_->written;
    return ok();
  }
  Status close() override { return inner_->close(); }

 private:
  std::unique_ptr<WritableFile> inner_;
  std::shared_ptr<Length> length_;
};

Status UnsyncedFileSystem::lose_power(std::uint64_t torn) {
  for (const fs::path& path : std::exchange(unnamed_, {})) {
    lengths_.erase(path);
    RETURN_IF_ERROR(inner_.remove_file(path));
  }
  for (const auto& [path, length] : lengths_) {
    const auto stat = inner_.stat(path);
    if (!stat) continue;
    const std::uint64_t left = std::min(stat->size, length->synced + torn);
    if (left < stat->size) RETURN_IF_ERROR(inner_.truncate(path, left));
    *length = {left, left};
  }
  return ok();
}

Result<std::unique_ptr<WritableFile>> UnsyncedFileSystem::follow(
    const fs::path& path, Length length, Result<std::unique_ptr<WritableFile>> file) {
  if (!file) return file;
  auto& followed = lengths_[path] = std::make_shared<Length>(length);
  return std::make_unique<File>(std::move(*file), followed);
}

Result<std::unique_ptr<WritableFile>> UnsyncedFileSystem::create(const fs::path& path) {
  unnamed_.insert(path);
  return follow(path, {}, inner_.create(path));
}
Result<std::unique_ptr<WritableFile>> UnsyncedFileSystem::create_replacing(const fs::path& path) {
  unnamed_.insert(path);
  return follow(path, {}, inner_.create_replacing(path));
}
Result<std::unique_ptr<WritableFile>> UnsyncedFileSystem::create_new(const fs::path& path) {
  unnamed_.insert(path);
  return follow(path, {}, inner_.create_new(path));
}
Result<std::unique_ptr<WritableFile>> UnsyncedFileSystem::create_private(const fs::path& path) {
  unnamed_.insert(path);
  return follow(path, {}, inner_.create_private(path));
}
Result<std::unique_ptr<WritableFile>> UnsyncedFileSystem::open_append(const fs::path& path) {
  const auto stat = inner_.stat(path);
  if (!stat) unnamed_.insert(path);
  const std::uint64_t size = stat ? stat->size : 0;
  const auto known = lengths_.find(path);
  const std::uint64_t synced =
      known == lengths_.end() ? size : std::min(known->second->synced, size);
  return follow(path, {size, synced}, inner_.open_append(path));
}

Status UnsyncedFileSystem::sync_directory(const fs::path& directory) {
  RETURN_IF_ERROR(inner_.sync_directory(directory));
  std::erase_if(unnamed_, [&](const fs::path& path) { return path.parent_path() == directory; });
  return ok();
}

Status UnsyncedFileSystem::truncate(const fs::path& path, std::uint64_t size) {
  RETURN_IF_ERROR(inner_.truncate(path, size));
  if (const auto known = lengths_.find(path); known != lengths_.end())
    *known->second = {size, std::min(known->second->synced, size)};
  return ok();
}

Status UnsyncedFileSystem::remove_file(const fs::path& path) {
  unnamed_.erase(path);
  return inner_.remove_file(path);
}

// The rest passes through.
Result<std::unique_ptr<ReadableFile>> UnsyncedFileSystem::open(const fs::path& path) {
  return inner_.open(path);
}
Result<FileStat> UnsyncedFileSystem::stat(const fs::path& path) { return inner_.stat(path); }
Result<FileStat> UnsyncedFileSystem::stat_followed(const fs::path& path) {
  return inner_.stat_followed(path);
}
Result<std::vector<DirectoryEntry>> UnsyncedFileSystem::list(const fs::path& directory) {
  return inner_.list(directory);
}
Status UnsyncedFileSystem::make_directories(const fs::path& directory) {
  return inner_.make_directories(directory);
}
Status UnsyncedFileSystem::rename(const fs::path& from, const fs::path& to) {
  return inner_.rename(from, to);
}
Status UnsyncedFileSystem::remove_tree(const fs::path& path) { return inner_.remove_tree(path); }
Status UnsyncedFileSystem::make_symlink(const std::string& target, const fs::path& path) {
  return inner_.make_symlink(target, path);
}
Result<std::string> UnsyncedFileSystem::read_symlink(const fs::path& path) {
  return inner_.read_symlink(path);
}
Status UnsyncedFileSystem::set_mode(const fs::path& path, std::uint32_t mode) {
  return inner_.set_mode(path, mode);
}
Status UnsyncedFileSystem::copy_file(const fs::path& from, const fs::path& to) {
  return inner_.copy_file(from, to);
}
Result<std::uint64_t> UnsyncedFileSystem::free_bytes(const fs::path& path) {
  return inner_.free_bytes(path);
}

}  // namespace evener::os
