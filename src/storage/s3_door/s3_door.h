// Stands before an S3 server that has no key service, and takes from a request the wish for one.
//
// SageMaker's SDK v2 uploads code with `x-amz-server-side-encryption: aws:kms`, which SeaweedFS
// refuses without a key service. Such a request is verified, loses these headers and is signed
// anew with the caller's own key; every other byte passes as it is.
//
// Used by:  apps (`evener up`).
// Threads:  one of its own holds all connections.
// Fails:    open() with kUnavailable for a taken port. A client is answered 503 while the server
//           is away.
// Source:   RFC 9112; Amazon S3 API reference, PutObject.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "http/sigv4/sigv4.h"

namespace evener::storage {

struct S3DoorOptions {
  std::uint16_t port = 0;                            // of 127.0.0.1; 0: any that is free
  // "http://127.0.0.1:8333"; asked for each connection, as the server may move.
  std::function<std::string()> server_endpoint;
  std::vector<http::AccessKey> keys;                 // that the server knows
  // Of the bodies of all requests that are made anew; one beyond it is answered 503.
  std::uint64_t bodies_bytes = 192u << 20;
  // Of a connection where nothing moves: one whose answer is awaited, and any other.
  std::chrono::milliseconds answer_limit{600'000};
  std::chrono::milliseconds idle_limit{60'000};
};

class S3Door {
 public:
  static Result<std::unique_ptr<S3Door>> open(S3DoorOptions options, const Clock& clock);
  virtual ~S3Door() = default;                       // closes what is open
  virtual std::uint16_t port() const = 0;
};

}  // namespace evener::storage
