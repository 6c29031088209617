#include "data/transport/slab_pool.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstdlib>

#include "data/transport/schema.h"

namespace evener::data::transport {
namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kHugePageBytes = 2u << 20;

std::size_t rounded(std::size_t bytes) {
  return bytes >= kHugePageBytes ? align_up(bytes, kPageBytes) : align_up(bytes);
}

}  // namespace

SlabPool::SlabPool(std::size_t slab_bytes) : slab_bytes_(rounded(slab_bytes)) {}

SlabPool::~SlabPool() {
  for (std::byte* slab : free_) std::free(slab);
}

Result<std::byte*> SlabPool::take() {
  {
    const MutexLock lock(mutex_);
    if (!free_.empty()) {
      std::byte* slab = free_.back();
      free_.pop_back();
      return slab;
    }
  }
  const bool huge = slab_bytes_ >= kHugePageBytes;
  void* memory = nullptr;
  if (::posix_memalign(&memory, huge ? kHugePageBytes : kAlignment, slab_bytes_) != 0)
    return failure(ErrorCode::kNoSpace, "memory for " + std::to_string(slab_bytes_) + " bytes");
  if (huge) ::madvise(memory, slab_bytes_, MADV_HUGEPAGE);
  auto* slab = static_cast<std::byte*>(memory);
  for (std::size_t at = 0; at < slab_bytes_; at += kPageBytes) {
    volatile std::byte* page = slab + at;
    *page = std::byte{0};
  }
  return slab;
}

void SlabPool::give(std::byte* slab) {
  const MutexLock lock(mutex_);
  free_.push_back(slab);
}

}  // namespace evener::data::transport
