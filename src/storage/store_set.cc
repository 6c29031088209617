#include "storage/storage.h"

namespace evener::storage {

void StoreSet::add(std::string scheme, std::unique_ptr<ObjectStore> store) {
  stores_.emplace_back(std::move(scheme), std::move(store));
}

Result<ObjectStore*> StoreSet::find(const Uri& uri) const {
  std::string known;
  for (const auto& [scheme, store] : stores_) {
    if (scheme == uri.scheme) return store.get();
    known += (known.empty() ? "" : ", ") + scheme + "://";
  }
  return failure(ErrorCode::kUnsupported, to_string(uri) + ": there is no store for " +
                                              uri.scheme + "://; there is " +
                                              (known.empty() ? "none" : known));
}

}  // namespace evener::storage
