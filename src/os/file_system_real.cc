#include "os/file_system_real.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>

#include "os/unique_fd.h"

namespace evener::os {
namespace real {

std::string attempt(std::string_view operation, const fs::path& path) {
  return std::string(operation) + " " + path.string();
}

FileKind kind_of_mode(mode_t mode) {
  if (S_ISREG(mode)) return FileKind::kRegular;
  if (S_ISDIR(mode)) return FileKind::kDirectory;
  if (S_ISLNK(mode)) return FileKind::kSymlink;
  return FileKind::kOther;
}

FileStat to_file_stat(const struct stat& raw) {
  constexpr std::uint64_t kBlockBytes = 512;  // the unit of st_blocks
  FileStat result;
  result.kind = kind_of_mode(raw.st_mode);
  result.size = static_cast<std::uint64_t>(raw.st_size);
  result.allocated = static_cast<std::uint64_t>(raw.st_blocks) * kBlockBytes;
  result.mode = raw.st_mode & 07777u;
  result.device = raw.st_dev;
  result.inode = raw.st_ino;
  result.links = raw.st_nlink;
  result.modified = from_millis(raw.st_mtim.tv_sec * 1000 + raw.st_mtim.tv_nsec / 1'000'000);
  return result;
}

}  // namespace real

namespace {

using real::attempt;

FileKind kind_of_entry(int directory, const dirent& entry) {
  switch (entry.d_type) {
    case DT_REG: return FileKind::kRegular;
    case DT_DIR: return FileKind::kDirectory;
    case DT_LNK: return FileKind::kSymlink;
    case DT_UNKNOWN: break;
    default: return FileKind::kOther;
  }
  struct stat raw {};
  if (::fstatat(directory, entry.d_name, &raw, AT_SYMLINK_NOFOLLOW) != 0) return FileKind::kOther;
  return real::kind_of_mode(raw.st_mode);
}

class RealFileSystem final : public FileSystem {
 public:
  Result<std::unique_ptr<ReadableFile>> open(const fs::path& path) override {
    return real::open_readable(path);
  }
  Result<std::unique_ptr<WritableFile>> create(const fs::path& path) override {
    return real::open_writable(path, real::OpenFor::kTruncate);
  }
  Result<std::unique_ptr<WritableFile>> create_replacing(const fs::path& path) override {
    return real::open_unpublished(path, real::WhenTaken::kReplace);
  }
  Result<std::unique_ptr<WritableFile>> create_new(const fs::path& path) override {
    return real::open_unpublished(path, real::WhenTaken::kRefuse);
  }
  Result<std::unique_ptr<WritableFile>> create_private(const fs::path& path) override {
    return real::open_unpublished(path, real::WhenTaken::kReplace, 0600);
  }
  Result<std::unique_ptr<WritableFile>> open_append(const fs::path& path) override {
    return real::open_writable(path, real::OpenFor::kAppend);
  }
  Result<FileStat> stat(const fs::path& path) override {
    struct stat raw {};
    if (::lstat(path.c_str(), &raw) != 0) return errno_failure(errno, attempt("stat", path));
    return real::to_file_stat(raw);
  }
  Result<FileStat> stat_followed(const fs::path& path) override {
    struct stat raw {};
    if (::stat(path.c_str(), &raw) != 0) return errno_failure(errno, attempt("stat", path));
    return real::to_file_stat(raw);
  }
  Result<std::vector<DirectoryEntry>> list(const fs::path& directory) override;
  Status make_directories(const fs::path& directory) override;
  Status rename(const fs::path& from, const fs::path& to) override {
    if (::rename(from.c_str(), to.c_str()) == 0) return ok();
    return errno_failure(errno, attempt("rename", from) + " to " + to.string());
  }
  Status remove_file(const fs::path& path) override {
    return checked(::unlink(path.c_str()), "remove", path);
  }
  Status remove_tree(const fs::path& path) override { return real::remove_tree(path); }
  Status make_symlink(const std::string& target, const fs::path& path) override {
    return checked(::symlink(target.c_str(), path.c_str()), "symlink", path);
  }
  Result<std::string> read_symlink(const fs::path& path) override;
  Status set_mode(const fs::path& path, std::uint32_t mode) override {
    return checked(::chmod(path.c_str(), mode), "chmod", path);
  }
  Status truncate(const fs::path& path, std::uint64_t size) override {
    return checked(::truncate(path.c_str(), static_cast<off_t>(size)), "truncate", path);
  }
  Status copy_file(const fs::path& from, const fs::path& to) override {
    return real::copy_regular_file(from, to);
  }
  Status sync_directory(const fs::path& directory) override {
    const UniqueFd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd) return errno_failure(errno, attempt("open", directory));
    return checked(::fsync(fd.get()), "sync", directory);
  }
  Result<std::uint64_t> free_bytes(const fs::path& path) override {
    struct statvfs raw {};
    if (::statvfs(path.c_str(), &raw) != 0) return errno_failure(errno, attempt("statvfs", path));
    return std::uint64_t{raw.f_bavail} * raw.f_frsize;
  }

 private:
  static Status checked(int result, std::string_view operation, const fs::path& path) {
    if (result == 0) return ok();
    return errno_failure(errno, attempt(operation, path));
  }
};

Result<std::vector<DirectoryEntry>> RealFileSystem::list(const fs::path& directory) {
  DIR* raw = ::opendir(directory.c_str());
  if (raw == nullptr) return errno_failure(errno, attempt("list", directory));
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(raw, ::closedir);
  std::vector<DirectoryEntry> entries;
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(stream.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    entries.push_back({std::string(name), kind_of_entry(::dirfd(stream.get()), *entry)});
  }
  if (errno != 0) return errno_failure(errno, attempt("list", directory));
  std::ranges::sort(entries, {}, &DirectoryEntry::name);
  return entries;
}

Status RealFileSystem::make_directories(const fs::path& directory) {
  if (directory.empty() || ::mkdir(directory.c_str(), 0755) == 0) return ok();
  if (errno == ENOENT && directory.has_parent_path() && directory.parent_path() != directory) {
    RETURN_IF_ERROR(make_directories(directory.parent_path()));
    if (::mkdir(directory.c_str(), 0755) == 0) return ok();
  }
  const int error = errno;
  struct stat raw {};
  // Also where it is there already on a read-only file system or under a folder of another user.
  if (::stat(directory.c_str(), &raw) == 0 && S_ISDIR(raw.st_mode)) return ok();
  return errno_failure(error, attempt("mkdir", directory));
}

Result<std::string> RealFileSystem::read_symlink(const fs::path& path) {
  std::string target(PATH_MAX, '\0');
  const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
  if (length < 0) return errno_failure(errno, attempt("readlink", path));
  target.resize(static_cast<std::size_t>(length));
  return target;
}

}  // namespace

std::unique_ptr<FileSystem> make_real_file_system() { return std::make_unique<RealFileSystem>(); }

}  // namespace evener::os
