#include "data/sources/placed.h"

namespace evener::data::sources {

Result<Placed> Placed::at(const std::string& location, const storage::StoreSet& stores) {
  auto uri = storage::parse_uri(location);
  if (!uri) return tl::unexpected(std::move(uri.error()));
  auto store = stores.find(*uri);
  if (!store) return tl::unexpected(std::move(store.error()));
  return Placed(std::move(*uri), **store);
}

Result<std::vector<storage::StoredObject>> Placed::list() const {
  auto objects = store_->list(uri_);
  if (!objects) return objects;
  if (objects->empty())
    return failure(ErrorCode::kNotFound, text() + ": nothing is there; on this machine the "
                                                  "location must hold the data set");
  const storage::StoredObject& first = objects->front();
  auto whole = storage::parse_uri(first.uri);
  if (!whole) return tl::unexpected(std::move(whole.error()));
  if (!whole->key.ends_with(first.key))
    return failure(ErrorCode::kInternal, first.uri + " does not end in " + first.key);
  before_ = whole->key.substr(0, whole->key.size() - first.key.size());
  for (const storage::StoredObject& object : *objects) {
    if (object.key.size() > kMaxNameBytes)
      return failure(ErrorCode::kLimitExceeded, text() + ": a name of more than " +
                                                    std::to_string(kMaxNameBytes) + " bytes");
  }
  return objects;
}

Result<std::unique_ptr<os::ReadableFile>> Placed::open(const storage::StoredObject& object) const {
  auto uri = storage::parse_uri(object.uri);
  if (!uri) return tl::unexpected(std::move(uri.error()));
  return store_->open(*uri);
}

Status Placed::read(std::string_view name, const storage::Listed& listed, std::uint64_t offset,
                    std::span<std::byte> buffer, storage::Uri& place) const {
  if (place.scheme != uri_.scheme || place.bucket != uri_.bucket) {
    place.scheme = uri_.scheme;
    place.bucket = uri_.bucket;
  }
  place.key.assign(before_);
  place.key.append(name);
  return store_->read_listed(place, listed, offset, buffer);
}

}  // namespace evener::data::sources
