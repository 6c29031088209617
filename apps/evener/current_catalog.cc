#include "evener/current_catalog.h"

#include <utility>

#include "evener/catalog_source.h"

namespace evener::app {

Result<std::shared_ptr<const catalog::Catalog>> CurrentCatalog::get() {
  MutexLock lock(mutex_);
  const Stamp now = stamp();
  if (read_ == now) return catalog_;
  auto catalog = load_catalog(home_, files_);
  if (!catalog) return tl::unexpected(catalog.error());
  catalog_ = std::make_shared<const catalog::Catalog>(std::move(*catalog));
  read_ = now;
  return catalog_;
}

// All zero where there is no file.
CurrentCatalog::Stamp CurrentCatalog::stamp() const {
  const auto stat = files_.stat_followed(home_.settings());
  return stat ? Stamp{stat->inode, stat->size, stat->modified} : Stamp{};
}

}  // namespace evener::app
