// The catalogue for a process that goes on: read again when the home's config.toml has changed.
//
// Used by:  serve.
// Threads:  any.
// Fails:    as load_catalog().
#pragma once

#include <memory>
#include <optional>

#include "advice/catalog/catalog.h"
#include "base/mutex.h"
#include "evener/home.h"
#include "os/file_system.h"

namespace evener::app {

class CurrentCatalog {
 public:
  CurrentCatalog(Home home, os::FileSystem& files) : home_(std::move(home)), files_(files) {}
  Result<std::shared_ptr<const catalog::Catalog>> get();

 private:
  struct Stamp {
    std::uint64_t inode = 0;
    std::uint64_t size = 0;
    WallTime modified{};
    bool operator==(const Stamp&) const = default;
  };
  Stamp stamp() const;

  const Home home_;
  os::FileSystem& files_;
  Mutex mutex_;
  std::optional<Stamp> read_ GUARDED_BY(mutex_);
  std::shared_ptr<const catalog::Catalog> catalog_ GUARDED_BY(mutex_);
};

}  // namespace evener::app
