// Aligned memory of one size, used again: the slab that came back last goes out first.
//
// Used by:  data_server.h (bodies that wait for their socket), data/client (bodies received).
// Threads:  any.
// Fails:    take() with kNoSpace.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"

namespace evener::data::transport {

class SlabPool {
 public:
  explicit SlabPool(std::size_t slab_bytes);
  ~SlabPool();                                           // after all slabs came back
  SlabPool(const SlabPool&) = delete;
  SlabPool& operator=(const SlabPool&) = delete;
  std::size_t slab_bytes() const { return slab_bytes_; }
  // Its pages are there: nothing that writes into it waits for one.
  Result<std::byte*> take();
  void give(std::byte* slab);

 private:
  const std::size_t slab_bytes_;                         // a multiple of the alignment
  Mutex mutex_;
  std::vector<std::byte*> free_ GUARDED_BY(mutex_);
};

}  // namespace evener::data::transport
