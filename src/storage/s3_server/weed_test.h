// Where the tests find the server's program.
//
// Used by:  tests.
// Threads:  pure functions.
// Fails:    never.
//
// Used by:  tests.
// Threads:  one.
// Fails:    aborts the test program.
#pragma once

#include <filesystem>
#include <string>

namespace evener::storage {

inline constexpr const char* kNoWeed =
    "there is no SeaweedFS: tools/setup.sh puts it at .venv/bin/weed";

// Tests run in the root of the repository. Empty: it is not there.
inline std::string weed_program() {
  const auto path = std::filesystem::current_path() / ".venv/bin/weed";
  return std::filesystem::exists(path) ? path.string() : "";
}

}  // namespace evener::storage
