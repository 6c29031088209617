// Tables of enumerators and their stable names.
//
// Used by:  names.cc.
// Threads:  pure functions.
// Fails:    name_in() aborts on an enumerator that its table lacks.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "base/check.h"

namespace evener::jobs {

template <class Enum, std::size_t N>
using NameTable = std::array<std::pair<Enum, std::string_view>, N>;

template <class Enum, std::size_t N>
std::string_view name_in(const NameTable<Enum, N>& table, Enum value) {
  for (const auto& [candidate, name] : table)
    if (candidate == value) return name;
  check_failed("value in table", "an enumerator without a name", std::source_location::current());
}

template <class Enum, std::size_t N>
std::optional<Enum> value_in(const NameTable<Enum, N>& table, std::string_view text) {
  for (const auto& [value, name] : table)
    if (name == text) return value;
  return std::nullopt;
}

}  // namespace evener::jobs
