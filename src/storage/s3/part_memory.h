// The memory that parts on their way to the server may take, of all uploads of a store together.
//
// Used by:  upload.
// Threads:  any; take() blocks until there is room.
// Fails:    never.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <vector>

#include "base/mutex.h"

namespace evener::storage {

class PartMemory {
 public:
  explicit PartMemory(std::size_t bytes) : free_(bytes) {}
  // An empty buffer with room for `bytes`, at most all there is.
  std::vector<std::byte> take(std::size_t bytes);
  void give_back(std::vector<std::byte> buffer, std::size_t bytes);

 private:
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::size_t free_ GUARDED_BY(mutex_);
  // Buffers of the usual size are used again: their pages are there already.
  std::vector<std::vector<std::byte>> buffers_ GUARDED_BY(mutex_);
};

}  // namespace evener::storage
