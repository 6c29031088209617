// Which known word did someone mean? For errors that say what to try.
//
// Used by:  messages about unknown members, flags, groups, files.
// Threads:  pure functions.
// Fails:    never.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace evener {

// Insertions, deletions, replacements and swaps of neighbours that lead from one to the other,
// without regard to the case of ASCII letters. Words over 100 bytes count as unlike.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The closest of `known` if it is close enough to be a slip (at most a third of the word, and at
// most 3 edits), else "".
std::string_view near_miss(std::string_view word, const std::vector<std::string_view>& known);

// "; did you mean 'X'?" of that word, or "" where nothing is close.
std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& known);
// The same of a word that was found otherwise; "" of "".
std::string did_you_mean(std::string_view found);

}  // namespace evener
