#include "os/file_system_faulty.h"

namespace evener::os {
namespace {

class FaultyReadableFile final : public ReadableFile {
 public:
  FaultyReadableFile(std::unique_ptr<ReadableFile> inner, std::shared_ptr<FaultCounter> faults)
      : inner_(std::move(inner)), faults_(std::move(faults)) {}

  Result<FileStat> stat() const override {
    RETURN_IF_ERROR(faults_->next());
    return inner_->stat();
  }
  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> buffer) const override {
    RETURN_IF_ERROR(faults_->next());
    return inner_->read_at(offset, buffer);
  }
  Result<std::vector<Extent>> extents() const override {
    RETURN_IF_ERROR(faults_->next());
    return inner_->extents();
  }

 private:
  std::unique_ptr<ReadableFile> inner_;
  std::shared_ptr<FaultCounter> faults_;
};

class FaultyWritableFile final : public WritableFile {
 public:
  FaultyWritableFile(std::unique_ptr<WritableFile> inner, std::shared_ptr<FaultCounter> faults)
      : inner_(std::move(inner)), faults_(std::move(faults)) {}

  Status append(std::span<const std::byte> bytes) override {
    Status fault = faults_->next();
    if (fault) return inner_->append(bytes);
    (void)inner_->append(bytes.first(bytes.size() / 2));
    return fault;
  }
  Status write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
    Status fault = faults_->next();
    if (fault) return inner_->write_at(offset, bytes);
    (void)inner_->write_at(offset, bytes.first(bytes.size() / 2));
    return fault;
  }
  Status sync() override {
    RETURN_IF_ERROR(faults_->next());
    return inner_->sync();
  }
  Status close() override {
    RETURN_IF_ERROR(faults_->next());
    return inner_->close();
  }

 private:
  std::unique_ptr<WritableFile> inner_;
  std::shared_ptr<FaultCounter> faults_;
};

template <class Faulty, class File>
Result<std::unique_ptr<File>> wrapped(Result<std::unique_ptr<File>> file,
                                      const std::shared_ptr<FaultCounter>& faults) {
  if (!file) return file;
  return std::make_unique<Faulty>(std::move(*file), faults);
}

}  // namespace

Result<std::unique_ptr<ReadableFile>> FaultyFileSystem::open(const fs::path& path) {
  RETURN_IF_ERROR(faults_->next());
  return wrapped<FaultyReadableFile>(inner_.open(path), faults_);
}

Result<std::unique_ptr<WritableFile>> FaultyFileSystem::create(const fs::path& path) {
  RETURN_IF_ERROR(faults_->next());
  return wrapped<FaultyWritableFile>(inner_.create(path), faults_);
}

Result<std::unique_ptr<WritableFile>> FaultyFileSystem::create_replacing(const fs::path& path) {
  RETURN_IF_ERROR(faults_->next());
  return wrapped<FaultyWritableFile>(inner_.create_replacing(path), faults_);
}

Result<std::unique_ptr<WritableFile>> FaultyFileSystem::create_new(const fs::path& path) {
  RETURN_IF_ERROR(faults_->next());
  return wrapped<FaultyWritableFile>(inner_.create_new(path), faults_);
}

Result<std::unique_ptr<WritableFile>> FaultyFileSystem::create_private(const fs::path& path) {
  RETURN_IF_ERROR(faults_->next());
  return wrapped<FaultyWritableFile>(inner_.create_private(path), faults_);
}

Result<std::unique_ptr<WritableFile>> FaultyFileSystem::open_append(const fs::path& path) {
  RETURN_IF_ERROR(faults_->next());
  return wrapped<FaultyWritableFile>(inner_.open_append(path), faults_);
}

Result<FileStat> FaultyFileSystem::stat(const fs::path& path) {
  RETURN_IF_ERROR(faults_->next());
  return inner_.stat(path);
}

Result<FileStat> FaultyFileSystem::stat_followed(const fs::path& path) {
  RETURN_IF_ERROR(faults_->next());
  return inner_.stat_followed(path);
}

Result<std::vector<DirectoryEntry>> FaultyFileSystem::list(const fs::path& directory) {
  RETURN_IF_ERROR(faults_->next());
  return inner_.list(directory);
}

Status FaultyFileSystem::make_directories(const fs::path& directory) {
  RETURN_IF_ERROR(faults_->next());
  return inner_.make_directories(directory);
}

Status FaultyFileSystem::rename(const fs::path& from, const fs::path& to) {
  RETURN_IF_ERROR(faults_->next());
  return inner_.rename(from, to);
}

Status FaultyFileSystem::remove_file(const fs::path& path) {
  RETURN_IF_ERROR(faults_->next());
  return inner_.remove_file(path);
}

Status FaultyFileSystem::remove_tree(const fs::path& path) {
  RETURN_IF_ERROR(faults_->next());
  return inner_.remove_tree(path);
}

Status FaultyFileSystem::make_symlink(const std::string& target, const fs::path& path) {
  RETURN_IF_ERROR(faults_->next());
  return inner_.make_symlink(target, path);
}

Result<std::string> FaultyFileSystem::read_symlink(const fs::path& path) {
  RETURN_IF_ERROR(faults_->next());
  return inner_.read_symlink(path);
}

Status FaultyFileSystem::set_mode(const fs::path& path, std::uint32_t mode) {
  RETURN_IF_ERROR(faults_->next());
  return inner_.set_mode(path, mode);
}

Status FaultyFileSystem::truncate(const fs::path& path, std::uint64_t size) {
  RETURN_IF_ERROR(faults_->next());
  return inner_.truncate(path, size);
}

Status FaultyFileSystem::copy_file(const fs::path& from, const fs::path& to) {
  RETURN_IF_ERROR(faults_->next());
  return inner_.copy_file(from, to);
}

Status FaultyFileSystem::sync_directory(const fs::path& directory) {
  RETURN_IF_ERROR(faults_->next());
  return inner_.sync_directory(directory);
}

Result<std::uint64_t> FaultyFileSystem::free_bytes(const fs::path& path) {
  RETURN_IF_ERROR(faults_->next());
  return inner_.free_bytes(path);
}

}  // namespace evener::os
