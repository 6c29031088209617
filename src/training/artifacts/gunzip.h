// Unpacks a stream of gzip members as it arrives.
//
// Used by:  object_copy.
// Threads:  one.
// Fails:    kCorrupt on bytes that are not gzip, on a wrong checksum and on a cut end; errors of
//           the sink as they are.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include "base/result.h"

namespace evener::artifacts {

class Gunzip {
 public:
  using Sink = std::function<Status(std::span<const std::byte> bytes)>;
  explicit Gunzip(Sink sink);
  ~Gunzip();
  Status feed(std::span<const std::byte> bytes);
  // The input has ended: it must have ended with a whole member (and zeros as padding, at most).
  Status finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace evener::artifacts
