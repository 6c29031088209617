// The access keys of a home: a file of mode 0600, made at the first start.
//
// Used by:  apps (`evener serve`, `evener env`); control_plane/front for the roles.
// Threads:  values and functions.
// Fails:    kPermissionDenied when others may read the file or it is not ours; kCorrupt when it is
//           not one of ours; kLimitExceeded over kMostKeys; kNoSpace, kIo.
// Format:   {"keys":[{"id":"...","secret":"...","role":"full"}]}
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace evener::control_plane {

enum class Role { kReadOnly, kFull };
std::string_view to_string(Role role);                 // "read-only", "full"
std::optional<Role> role_from(std::string_view text);

struct Key {
  std::string id;
  std::string secret;
  Role role = Role::kReadOnly;
};

inline constexpr std::size_t kMostKeys = 1000;

// Reads the keys of `file`; makes it first, with one key of each role, where it is not there. Of
// several processes that make it at once one wins and all read the same.
Result<std::vector<Key>> open_keys(const std::filesystem::path& file, Random& random);

}  // namespace evener::control_plane
