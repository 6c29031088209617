#include "data/transport/arena.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/check.h"

namespace evener::data::transport {
namespace {

constexpr int kSizeSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

Result<std::byte*> map_shared(int fd, std::uint64_t bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED)
    return errno_failure(errno, "map an arena of " + std::to_string(bytes) + " bytes");
  // Huge pages where the system gives them to shared memory.
  ::madvise(memory, bytes, MADV_HUGEPAGE);
  return static_cast<std::byte*>(memory);
}

}  // namespace

Result<std::shared_ptr<ArenaMemory>> ArenaMemory::create(std::uint64_t bytes,
                                                         os::UniqueFd& descriptor) {
  os::UniqueFd fd(::memfd_create("evener-arena", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd) return errno_failure(errno, "create an arena");
  if (::ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0 ||
      ::fcntl(fd.get(), F_ADD_SEALS, kSizeSeals) != 0)
    return errno_failure(errno, "size of an arena of " + std::to_string(bytes) + " bytes");
  auto data = map_shared(fd.get(), bytes);
  if (!data) return tl::unexpected(std::move(data.error()));
  descriptor = std::move(fd);
  return std::shared_ptr<ArenaMemory>(new ArenaMemory(*data, bytes));
}

Result<std::shared_ptr<ArenaMemory>> ArenaMemory::map(const os::UniqueFd& descriptor,
                                                      std::uint64_t bytes) {
  struct stat facts {};
  const int seals = ::fcntl(descriptor.get(), F_GET_SEALS);
  if (::fstat(descriptor.get(), &facts) != 0 || seals < 0 || (seals & F_SEAL_SHRINK) == 0 ||
      static_cast<std::uint64_t>(facts.st_size) != bytes)
    return failure(ErrorCode::kCorrupt, "the arena is not a sealed memory of " +
                                            std::to_string(bytes) + " bytes");
  auto data = map_shared(descriptor.get(), bytes);
  if (!data) return tl::unexpected(std::move(data.error()));
  return std::shared_ptr<ArenaMemory>(new ArenaMemory(*data, bytes));
}

ArenaMemory::~ArenaMemory() { ::munmap(data_, bytes_); }

ArenaPlaces::ArenaPlaces(std::uint64_t arena_bytes, std::uint64_t place_bytes)
    : place_bytes_(place_bytes), uses_(arena_bytes / place_bytes, Use::kFree) {
  for (std::size_t i = uses_.size(); i-- > 0;) free_.push_back(i * place_bytes);
}

std::uint64_t ArenaPlaces::take() {
  CHECK(!free_.empty(), "the caller has asked any_free()");
  const std::uint64_t offset = free_.back();
  free_.pop_back();
  uses_[offset / place_bytes_] = Use::kTaken;
  return offset;
}

void ArenaPlaces::mark_sent(std::uint64_t offset) { uses_[offset / place_bytes_] = Use::kSent; }

void ArenaPlaces::give_back(std::uint64_t offset) {
  uses_[offset / place_bytes_] = Use::kFree;
  free_.push_back(offset);
}

Status ArenaPlaces::free_sent(std::uint64_t offset) {
  if (offset % place_bytes_ != 0 || offset / place_bytes_ >= uses_.size() ||
      uses_[offset / place_bytes_] != Use::kSent)
    return failure(ErrorCode::kCorrupt, "credit for offset " + std::to_string(offset) +
                                            " of the arena, where no batch lies");
  give_back(offset);
  return ok();
}

}  // namespace evener::data::transport
