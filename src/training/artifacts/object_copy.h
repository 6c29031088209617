// Bytes from one open object to another, a piece at a time.
//
// Used by:  staging, copy_merged.
// Threads:  blocks; the files belong to the caller.
// Fails:    errors of either side as they are; kCorrupt on bad gzip data; kCancelled between pieces.
#pragma once

#include <stop_token>

#include "base/result.h"
#include "os/file_system.h"
#include "training/artifacts/progress.h"

namespace evener::artifacts {

// Bytes read at a time, small enough to be written from the core's cache; a stop request is heeded
// between two.
inline constexpr std::size_t kPieceBytes = 512u << 10;

// To the end of `from`. The meter counts what was read. Neither closes `to`.
Status copy_bytes(const os::ReadableFile& from, os::WritableFile& to, ProgressMeter& meter,
                  const std::stop_token& stop);
// As copy_bytes, with the gzip members in `from` unpacked.
Status gunzip_bytes(const os::ReadableFile& from, os::WritableFile& to, ProgressMeter& meter,
                    const std::stop_token& stop);

}  // namespace evener::artifacts
