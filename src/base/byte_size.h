// Byte counts and durations as people write them: "1.5 GiB", "64k", "1h30m".
//
// Used by:  flags, tables, messages.
// Threads:  pure functions.
// Fails:    kInvalidArgument on text that is not a size or a duration, naming the text.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace evener {

// "0 B", "981 B", "1.5 KiB", "3.2 GiB": at most one decimal, powers of 1024.
std::string format_bytes(std::uint64_t bytes);
// Accepts a number and an optional unit, with or without a blank between: B, k/K/KiB, M, G, T, P
// (powers of 1024).
Result<std::uint64_t> parse_bytes(std::string_view text);

// "350 ms", "12.3 s", "4 min 05 s", "2 h 03 min".
std::string format_duration(std::chrono::milliseconds duration);
// Accepts 90 (seconds), 90s, 15m, 2h, 1d, and sums such as 1h30m.
Result<std::chrono::seconds> parse_duration(std::string_view text);

}  // namespace evener
