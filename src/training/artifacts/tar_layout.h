// The tar stream of a merge, known to the byte before any content is read: where each member's
// header and data lie, so that any range of it can be made on its own.
//
// Used by:  pack.
// Threads:  immutable once made; a TarReader belongs to one thread.
// Fails:    errors of reading, with host and path; kIo when a file changed after it was laid out.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "base/result.h"
#include "os/file_system.h"
#include "training/artifacts/merge.h"

namespace evener::artifacts {

struct LaidOutMember {
  const MergedMember* member = nullptr;
  std::uint64_t offset = 0;                  // of its header in the stream
  std::uint64_t header_size = 0;
  std::uint64_t data_size = 0;               // stored, without padding
  std::unique_ptr<const std::vector<os::Extent>> sparse;  // null: stored whole
};

struct TarLayout {
  const std::vector<HostTree>* trees = nullptr;
  std::vector<LaidOutMember> members;
  std::uint64_t size = 0;                    // of the whole stream
  std::uint64_t file_bytes = 0;              // sizes of all files
};

// Keeps pointers into `trees` and `plan`. Reads little of each file: enough to find its holes.
Result<TarLayout> lay_out(os::FileSystem& files, const std::vector<HostTree>& trees,
                          const MergePlan& plan, std::stop_token stop);

class TarReader {
 public:
  TarReader(os::FileSystem& files, const TarLayout& layout) : files_(files), layout_(layout) {}
  // Fills `buffer` with the stream from `offset` on; both must lie within it.
  Status read(std::uint64_t offset, std::span<std::byte> buffer);

 private:
  Status read_member(const LaidOutMember& member, std::uint64_t skip, std::span<std::byte> buffer);
  Status read_data(const LaidOutMember& member, std::uint64_t skip, std::span<std::byte> buffer);
  Status read_file(const LaidOutMember& member, std::uint64_t offset, std::span<std::byte> buffer);
  Status open(const LaidOutMember& member);
  Status check_unchanged(const LaidOutMember& member) const;

  os::FileSystem& files_;
  const TarLayout& layout_;
  const LaidOutMember* opened_ = nullptr;
  std::unique_ptr<os::ReadableFile> file_;   // of opened_
};

// "host: path", for messages.
std::string place_of(const std::vector<HostTree>& trees, const MergedMember& member);

}  // namespace evener::artifacts
