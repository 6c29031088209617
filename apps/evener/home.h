// One user's Evener home: where the store, the jobs' folders, the lock and the settings are.
//
// Used by:  every command.
// Threads:  values.
// Fails:    kPermissionDenied or kNoSpace when the home cannot be made or written, naming it.
#pragma once

#include <filesystem>

#include "base/result.h"

namespace evener::app {

struct Home {
  std::filesystem::path root;
  std::filesystem::path store() const { return root / "evener.db"; }
  std::filesystem::path lock() const { return root / "engine.lock"; }
  // Held by the background engine, whether it has the seat or waits for it.
  std::filesystem::path background_lock() const { return root / "engine.background.lock"; }
  std::filesystem::path wake_socket() const { return root / "engine.sock"; }
  // What the last probe of this boot found; see choose_isolation().
  std::filesystem::path probed_isolation() const { return root / "isolation"; }
  // Held by `evener serve`; an engine in the background makes room for it.
  std::filesystem::path server_lock() const { return root / "server.lock"; }
  // Where the running server is; see server_address.h.
  std::filesystem::path server_file() const { return root / "server.json"; }
  // Folders of deleted jobs on their way out.
  std::filesystem::path deleted() const { return root / "deleted"; }
  std::filesystem::path keys() const { return root / "keys.json"; }
  std::filesystem::path settings() const { return root / "config.toml"; }
  std::filesystem::path output() const { return root / "output"; }
  // Where objects of s3:// are and what opens them, for jobs without an access of their own.
  std::filesystem::path storage_access() const { return root / "storage_access.json"; }
  // The S3 server of `evener up`.
  std::filesystem::path s3() const { return root / "s3"; }
};

// `chosen`, else EVENER_HOME, else ~/.evener.
std::filesystem::path home_path(const std::filesystem::path& chosen);

// Makes it (mode 0700) if it is not there.
Result<Home> open_home(const std::filesystem::path& chosen);
// For commands that look at jobs: makes nothing. kNotFound where no job was ever submitted.
Result<Home> find_home(const std::filesystem::path& chosen);

}  // namespace evener::app
