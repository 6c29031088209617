// The head of a request and how what follows it ends. As little as a relay must know: what is
// wrong with a request is told by the server behind it.
//
// Used by:  relay.
// Threads:  values and pure functions; a ChunkedBody by one thread at a time.
// Fails:    read_head() with kInvalidArgument for bytes that are no HTTP request.
// Source:   RFC 9112 §6, §7.1.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "http/http.h"

namespace evener::storage {

enum class Framing { kLength, kChunked };

struct RequestHead {
  http::Request request{};         // without a body
  Framing framing = Framing::kLength;
  std::uint64_t length = 0;        // of the body: kLength
  bool expects_continue = false;
};

// `bytes` end with the empty line.
Result<RequestHead> read_head(std::string_view bytes);

// Finds where a chunked body ends.
class ChunkedBody {
 public:
  // How many of `bytes` belong to the body.
  std::size_t feed(std::string_view bytes);
  bool ended() const { return place_ == Place::kEnd; }

 private:
  enum class Place { kSize, kData, kTrailer, kEnd };
  void end_line();

  Place place_ = Place::kSize;
  std::string line_{};             // of a size or a trailer, as far as it came
  std::uint64_t left_ = 0;         // of a chunk and the line end after it
};

}  // namespace evener::storage
