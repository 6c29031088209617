// Where a file is zeros, found from its content: the same content gives the same answer, however
// the file system stores it.
//
// Used by:  tar_layout.
// Threads:  functions that block; the file is only read.
// Fails:    errors of reading; kIo when the file is shorter than it was.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "os/file_system.h"

namespace evener::artifacts {

// Zeros count only as whole aligned blocks of this size: small enough to keep holes of
// checkpoints and images, large enough that looking at the first page of each costs nothing.
inline constexpr std::uint64_t kZeroBlock = 256u << 10;
// A file is written sparse when at least 1/kSparseShare of it is zero blocks; fewer holes are
// better written as zeros, which every reader of archives understands.
inline constexpr std::uint64_t kSparseShare = 4;

// The parts of a file of `size` bytes that are not zero blocks, if it is to be written sparse.
Result<std::optional<std::vector<os::Extent>>> sparse_parts(const os::ReadableFile& file,
                                                            std::uint64_t size);

}  // namespace evener::artifacts
