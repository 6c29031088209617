// Objects read: ranges that go on where they broke off, whole objects into files.
//
// Used by:  store, reading.
// Threads:  functions block; fetch_object() has threads of its own while it lasts.
// Fails:    as s3.h says; kCorrupt when the object changed or a checksum differs.
#pragma once

#include <string>

#include "storage/s3/checksum.h"
#include "storage/s3/requests.h"

namespace evener::storage {

struct ObjectFacts {
  std::uint64_t size = 0;
  std::string etag;
  std::optional<Promised> checksum;     // of the whole object
};
Result<ObjectFacts> look_up(Requests& requests, const Uri& object, const std::stop_token& stop);

struct RangeOrder {
  std::uint64_t first = 0;
  std::uint64_t length = 0;
  std::string etag;                     // refuses an object that has changed since
};
Status read_range(Requests& requests, const Uri& object, const RangeOrder& range,
                  const http::BodySink& sink, const std::stop_token& stop);

// All of it, in order; `begin` is called once, before the first byte.
Status read_whole(Requests& requests, const Uri& object,
                  const std::function<void(const ObjectFacts&)>& begin, const http::BodySink& sink,
                  const std::stop_token& stop);

Status fetch_object(Requests& requests, const Uri& object, os::FileSystem& files,
                    const os::fs::path& target, const FetchOptions& options);

}  // namespace evener::storage
