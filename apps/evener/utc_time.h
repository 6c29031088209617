// Points in time as text, for people and on the command line.
//
// Used by:  jobs show, jobs logs.
// Threads:  pure functions.
// Fails:    kInvalidArgument on text that is neither a duration nor a time.
#pragma once

#include <string>

#include "base/clock.h"
#include "base/result.h"

namespace evener::app {

// "2026-11-30 10:11:12.345Z".
std::string utc_time(WallTime time);

// "10m" (back from `now`), "2026-11-30T10:11:12Z", or seconds since the epoch.
Result<WallTime> parse_since(const std::string& text, WallTime now);

}  // namespace evener::app
