// Entries of a tar or tar.gz file one after the other. Trusts nothing it reads.
//
// Used by:  unpack.
// Threads:  one.
// Fails:    kCorrupt on what is no such archive or is cut off; errors of reading as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "os/file_system.h"

namespace evener::artifacts {

enum class ArchiveEntryKind { kFile, kFolder, kSymlink, kHardLink, kOther };

struct ArchiveEntry {
  std::string path;             // as stored
  ArchiveEntryKind kind = ArchiveEntryKind::kFile;
  std::string link;             // target of a symlink; path of a hard link's other name
  std::uint64_t size = 0;       // as stored in the header
  bool executable = false;      // by its owner
};

class ArchiveReader {
 public:
  using Sink = std::function<Status(std::span<const std::byte> bytes)>;
  static Result<std::unique_ptr<ArchiveReader>> open(os::FileSystem& files,
                                                     const std::filesystem::path& path);
  virtual ~ArchiveReader() = default;
  // Nothing at the end.
  virtual Result<std::optional<ArchiveEntry>> next() = 0;
  // The bytes of the current entry, holes as zeros.
  virtual Status read_data(const Sink& sink) = 0;
};

}  // namespace evener::artifacts
