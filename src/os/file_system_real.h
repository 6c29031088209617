// The parts of the real FileSystem that are too large to stand in its class.
//
// Used by:  file_system_real.cc and its sibling files only.
// Threads:  pure system calls; any thread.
// Fails:    with the code of errno; messages name the operation and the path.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/file_system.h"

namespace evener::os::real {

// `operation path`, for error messages.
std::string attempt(std::string_view operation, const fs::path& path);
FileStat to_file_stat(const struct stat& raw);
FileKind kind_of_mode(mode_t mode);

Result<std::unique_ptr<ReadableFile>> open_readable(const fs::path& path);
enum class OpenFor { kTruncate, kAppend };
Result<std::unique_ptr<WritableFile>> open_writable(const fs::path& path, OpenFor purpose);
// What close() does to a file that is there already.
enum class WhenTaken { kReplace, kRefuse };
Result<std::unique_ptr<WritableFile>> open_unpublished(const fs::path& path, WhenTaken when_taken,
                                                       std::uint32_t mode = 0644);

// Calls `visit` for each data extent of the open file in order until it fails.
Status for_each_extent(int fd, std::uint64_t size, const fs::path& path,
                       const std::function<Status(Extent)>& visit);
// Writes all of `size` bytes to `fd` at its offset.
Status write_all(int fd, const void* data, std::size_t size, const fs::path& path);
Status write_all_at(int fd, std::uint64_t offset, std::span<const std::byte> bytes,
                    const fs::path& path);

Status copy_regular_file(const fs::path& from, const fs::path& to);
Status remove_tree(const fs::path& path);

}  // namespace evener::os::real
