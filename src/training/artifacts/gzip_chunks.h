// Pieces of a stream as gzip members of their own: their concatenation is one gzip file, and each
// can be made on another core.
//
// Used by:  pack.
// Threads:  a ChunkCompressor belongs to one thread.
// Fails:    kInternal when the compressor refuses, which its documentation rules out.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"

namespace evener::artifacts {

// How much work a piece deserves.
enum class Effort {
  kStore,      // does not become smaller: copied
  kFast,       // becomes a little smaller; more work gains nothing
  kSmall,      // becomes much smaller: better matches pay off
};

// Decided from samples spread over the piece, by content alone.
class ChunkCompressor {
 public:
  ChunkCompressor();
  ~ChunkCompressor();
  Effort choose(std::span<const std::byte> bytes);
  // Replaces `out` by one gzip member.
  Status compress(std::span<const std::byte> bytes, Effort effort, std::vector<std::byte>& out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace evener::artifacts
