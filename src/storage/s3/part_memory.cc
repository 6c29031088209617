#include "storage/s3/part_memory.h"

#include <algorithm>

#include "storage/s3/s3.h"

namespace evener::storage {

std::vector<std::byte> PartMemory::take(std::size_t bytes) {
  std::vector<std::byte> buffer;
  {
    MutexLock lock(mutex_);
    changed_.wait(mutex_, [&] { return free_ >= bytes; });
    free_ -= bytes;
    if (bytes > kPartBytes) buffers_.clear();      // else they would come on top
    if (!buffers_.empty()) {
      buffer = std::move(buffers_.back());
      buffers_.pop_back();
    }
  }
  buffer.clear();
  buffer.reserve(bytes);
  return buffer;
}

void PartMemory::give_back(std::vector<std::byte> buffer, std::size_t bytes) {
  {
    MutexLock lock(mutex_);
    free_ += bytes;
    if (bytes == kPartBytes) buffers_.push_back(std::move(buffer));
  }
  changed_.notify_all();
}

}  // namespace evener::storage
