// The files of one machine behind a seam: real, in memory, faulty.
//
// Used by:  everything that reads or writes files, except mounts (os/namespace.h).
// Threads:  a FileSystem may be shared; a file object belongs to one thread at a time,
//           but ReadableFile::read_at may be called from several.
// Fails:    with the code of errno (kNotFound, kNoSpace, kPermissionDenied, ...); messages
//           name the operation and the path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace evener::os {

namespace fs = std::filesystem;

enum class FileKind { kRegular, kDirectory, kSymlink, kOther };

struct FileStat {
  FileKind kind = FileKind::kRegular;
  std::uint64_t size = 0;         // bytes
  std::uint64_t allocated = 0;    // bytes on disk; less than size for sparse files
  std::uint32_t mode = 0;         // permission bits, 07777
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t links = 1;
  WallTime modified;
};

struct DirectoryEntry {
  std::string name;
  FileKind kind = FileKind::kRegular;
};

// A run of bytes that holds data; what lies between extents is a hole.
struct Extent {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

class ReadableFile {
 public:
  virtual ~ReadableFile() = default;
  virtual Result<FileStat> stat() const = 0;
  // Reads up to buffer.size() bytes at `offset`; 0 at the end of the file.
  virtual Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> buffer) const = 0;
  // The data extents in order; one extent of the whole size where holes cannot be told.
  virtual Result<std::vector<Extent>> extents() const = 0;
};

class WritableFile {
 public:
  virtual ~WritableFile() = default;
  // Writes all of it or fails; after a failure the file's tail is unspecified.
  virtual Status append(std::span<const std::byte> bytes) = 0;
  // Writes all of it at `offset`, also beyond the end; from several threads at once. Not for files
  // of open_append(), and not beside append().
  virtual Status write_at(std::uint64_t offset, std::span<const std::byte> bytes) = 0;
  // Data and size are on stable storage when it returns. A file of create_replacing() or
  // create_new() that was synced has its name there too once close() has returned.
  virtual Status sync() = 0;
  // Reports what the destructor could not.
  virtual Status close() = 0;
};

enum class Durability { kNone, kSynced };

class FileSystem {
 public:
  virtual ~FileSystem() = default;

  virtual Result<std::unique_ptr<ReadableFile>> open(const fs::path& path) = 0;
  // Creates or truncates.
  virtual Result<std::unique_ptr<WritableFile>> create(const fs::path& path) = 0;
  // A file that takes the name `path` when close() succeeds, in place of what is there; until then
  // no one sees it. Dropped, it leaves nothing; nor does a killed process where the file system
  // knows files without names.
  virtual Result<std::unique_ptr<WritableFile>> create_replacing(const fs::path& path) = 0;
  // As create_replacing(), but close() fails with kAlreadyExists if the name is taken by then.
  virtual Result<std::unique_ptr<WritableFile>> create_new(const fs::path& path) = 0;
  // As create_replacing(), of mode 0600 before its first byte.
  virtual Result<std::unique_ptr<WritableFile>> create_private(const fs::path& path) = 0;
  // Creates, or continues at the end.
  virtual Result<std::unique_ptr<WritableFile>> open_append(const fs::path& path) = 0;

  // Does not follow a last symlink.
  virtual Result<FileStat> stat(const fs::path& path) = 0;
  virtual Result<FileStat> stat_followed(const fs::path& path) = 0;
  // Sorted by bytes.
  virtual Result<std::vector<DirectoryEntry>> list(const fs::path& directory) = 0;
  virtual Status make_directories(const fs::path& directory) = 0;    // no error if there
  virtual Status rename(const fs::path& from, const fs::path& to) = 0;  // replaces
  virtual Status remove_file(const fs::path& path) = 0;
  // No error if absent. Follows no symlink, enters no mount (kUnavailable), opens up folders of
  // ours that are closed to us.
  virtual Status remove_tree(const fs::path& path) = 0;
  virtual Status make_symlink(const std::string& target, const fs::path& path) = 0;
  virtual Result<std::string> read_symlink(const fs::path& path) = 0;
  virtual Status set_mode(const fs::path& path, std::uint32_t mode) = 0;
  virtual Status truncate(const fs::path& path, std::uint64_t size) = 0;
  // Copies a regular file with its mode and holes: reflink where the file system can, else
  // copy_file_range, else read and write. `to` is replaced, but not through a symlink; set-user-id
  // bits are dropped.
  virtual Status copy_file(const fs::path& from, const fs::path& to) = 0;
  // The folder's entries (creations, renames, removals) are on stable storage when it returns.
  virtual Status sync_directory(const fs::path& directory) = 0;
  virtual Result<std::uint64_t> free_bytes(const fs::path& path) = 0;
};

// Files are created 0644, directories 0755, less the process's umask.
std::unique_ptr<FileSystem> make_real_file_system();

// For tests: an empty tree with `/`; no permissions; times from `clock`.
std::unique_ptr<FileSystem> make_memory_file_system(const Clock& clock);

// Convenience over the seam, each with one meaning.
Result<std::string> read_text(FileSystem& files, const fs::path& path,
                              std::uint64_t limit_bytes = 64ull << 20);
// By create_replacing(): a reader sees old or new.
Status write_text(FileSystem& files, const fs::path& path, std::string_view text,
                  Durability durability = Durability::kNone);
// As write_text(), by create_private().
Status write_private_text(FileSystem& files, const fs::path& path, std::string_view text);
Status make_parent_directories(FileSystem& files, const fs::path& path);

}  // namespace evener::os
