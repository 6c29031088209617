// A location with its store: what all kinds of sources list and read through.
//
// Used by:  the sources of this folder.
// Threads:  may be shared.
// Fails:    as the store does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/sources/sources.h"

namespace evener::data::sources {

class Placed {
 public:
  static Result<Placed> at(const std::string& location, const storage::StoreSet& stores);

  const storage::Uri& uri() const { return uri_; }
  std::string text() const { return storage::to_string(uri_); }
  // Nothing there is kNotFound.
  Result<std::vector<storage::StoredObject>> list() const;
  Result<std::unique_ptr<os::ReadableFile>> open(const storage::StoredObject& object) const;
  // `name` as list() gave it in StoredObject::key. `place` keeps its memory between calls.
  Status read(std::string_view name, const storage::Listed& listed, std::uint64_t offset,
              std::span<std::byte> buffer, storage::Uri& place) const;

 private:
  Placed(storage::Uri uri, storage::ObjectStore& store) : uri_(std::move(uri)), store_(&store) {}

  storage::Uri uri_;
  storage::ObjectStore* store_;
  // What stands before a name to make a key; known once list() has seen an object.
  mutable std::string before_;
};

}  // namespace evener::data::sources
