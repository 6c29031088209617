// ISO 8601 times as filters of Search write them. Private to operations.
//
// Used by:  operations.
// Threads:  pure functions.
// Fails:    nothing for text that is no time.
#pragma once

#include <optional>
#include <string_view>

#include "base/clock.h"

namespace evener::operations {

// "2026-11-30", "2026-11-30T10:11:12", with ".345", "Z" or "+01:00"; UTC where no zone is given.
std::optional<WallTime> time_from_iso(std::string_view text);

}  // namespace evener::operations
