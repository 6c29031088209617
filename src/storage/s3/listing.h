// What is under a prefix.
//
// Used by:  store.
// Threads:  a function that blocks.
// Fails:    as s3.h says; kLimitExceeded on more than kMaxListedKeys.
#pragma once

#include <vector>

#include "storage/s3/requests.h"

namespace evener::storage {

inline constexpr std::size_t kMaxListedKeys = 20'000'000;

// As ObjectStore::list().
Result<std::vector<StoredObject>> list_objects(Requests& requests, const Uri& prefix);

}  // namespace evener::storage
