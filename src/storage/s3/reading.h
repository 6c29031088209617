// An object as a file that is read at any offset, by windows kept in memory.
//
// Used by:  store.
// Threads:  read_at() from several, one at a time.
// Fails:    kNotFound from open_object(); later as s3.h says.
#pragma once

#include <memory>

#include "storage/s3/download.h"

namespace evener::storage {

inline constexpr std::uint64_t kWindowBytes = 4ull << 20;

Result<std::unique_ptr<os::ReadableFile>> open_object(Requests& requests, const Uri& object);

}  // namespace evener::storage
