// The tables of a home and how older files become today's.
//
// Used by:  open_store.
// Threads:  a function.
// Fails:    kUnsupported on a file of a newer version; errors of the database.
#pragma once

#include "base/result.h"
#include "training/store/sqlite.h"

namespace evener::store {

inline constexpr std::int64_t kSchemaVersion = 2;

// Brings the file up to kSchemaVersion, each step in a transaction of its own. A file with a
// newer version is kUnsupported.
Status migrate(Database& database);

}  // namespace evener::store
