// A file system that loses its power: what was not synced by then is gone, or there in part.
//
// Used by:  tests of what must survive a loss of power.
// Threads:  one.
// Fails:    as its inner file system.
//
// Only the ends of files are followed, and names: a file that was created and whose folder was not
// synced since is gone as a whole. Renames, truncations and write_at() count as synced.
#pragma once

#include <map>
#include <memory>
#include <set>

#include "os/file_system.h"

namespace evener::os {

class UnsyncedFileSystem final : public FileSystem {
 public:
  // `inner` must outlive it.
  explicit UnsyncedFileSystem(FileSystem& inner) : inner_(inner) {}

  // Leaves at most `torn` bytes behind the synced ones of each file. A file that is open and was
  // named goes on at its new end, as after a sync that failed and dropped what it could not write.
  Status lose_power(std::uint64_t torn = 0);

  Result<std::unique_ptr<ReadableFile>> open(const fs::path& path) override;
  Result<std::unique_ptr<WritableFile>> create(const fs::path& path) override;
  Result<std::unique_ptr<WritableFile>> create_replacing(const fs::path& path) override;
  Result<std::unique_ptr<WritableFile>> create_new(const fs::path& path) override;
  Result<std::unique_ptr<WritableFile>> create_private(const fs::path& path) override;
  Result<std::unique_ptr<WritableFile>> open_append(const fs::path& path) override;
  Result<FileStat> stat(const fs::path& path) override;
  Result<FileStat> stat_followed(const fs::path& path) override;
  Result<std::vector<DirectoryEntry>> list(const fs::path& directory) override;
  Status make_directories(const fs::path& directory) override;
  Status rename(const fs::path& from, const fs::path& to) override;
  Status remove_file(const fs::path& path) override;
  Status remove_tree(const fs::path& path) override;
  Status make_symlink(const std::string& target, const fs::path& path) override;
  Result<std::string> read_symlink(const fs::path& path) override;
  Status set_mode(const fs::path& path, std::uint32_t mode) override;
  Status truncate(const fs::path& path, std::uint64_t size) override;
  Status copy_file(const fs::path& from, const fs::path& to) override;
  Status sync_directory(const fs::path& directory) override;
  Result<std::uint64_t> free_bytes(const fs::path& path) override;

 private:
  struct Length {
    std::uint64_t written = 0;
    std::uint64_t synced = 0;
  };
  class File;
  Result<std::unique_ptr<WritableFile>> follow(const fs::path& path, Length length,
                                               Result<std::unique_ptr<WritableFile>> file);

  FileSystem& inner_;
  std::map<fs::path, std::shared_ptr<Length>> lengths_;   // of files written through this
  std::set<fs::path> unnamed_;                            // created, folder not synced since
};

}  // namespace evener::os
