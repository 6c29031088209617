// Memory that a worker and a reader of one host share: bodies are written once, where they are read.
//
// Used by:  data_server.cc (creates, gives places), data/client (maps).
// Threads:  one at a time.
// Fails:    create, map: kNoSpace, or the code of errno; map: kCorrupt where the descriptor is not
//           what was announced.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "os/unique_fd.h"

namespace evener::data::transport {

// A mapping of the whole arena. Unmapped when the last holder drops it.
class ArenaMemory {
 public:
  // The size is sealed: neither side can pull the memory from under the other.
  static Result<std::shared_ptr<ArenaMemory>> create(std::uint64_t bytes, os::UniqueFd& descriptor);
  static Result<std::shared_ptr<ArenaMemory>> map(const os::UniqueFd& descriptor,
                                                  std::uint64_t bytes);
  ~ArenaMemory();
  ArenaMemory(const ArenaMemory&) = delete;
  ArenaMemory& operator=(const ArenaMemory&) = delete;
  std::byte* data() const { return data_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  ArenaMemory(std::byte* data, std::uint64_t bytes) : data_(data), bytes_(bytes) {}
  std::byte* const data_;
  const std::uint64_t bytes_;
};

// Which places of an arena are free. The worker's own: what a reader claims is checked against it.
class ArenaPlaces {
 public:
  ArenaPlaces(std::uint64_t arena_bytes, std::uint64_t place_bytes);
  bool any_free() const { return !free_.empty(); }
  std::uint64_t free_bytes() const { return free_.size() * place_bytes_; }
  std::uint64_t take();                                  // an offset; any_free()
  void mark_sent(std::uint64_t offset);
  void give_back(std::uint64_t offset);                  // taken, not sent
  // kCorrupt where no sent body lies at `offset`.
  Status free_sent(std::uint64_t offset);

 private:
  enum class Use : unsigned char { kFree, kTaken, kSent };
  const std::uint64_t place_bytes_;
  std::vector<Use> uses_;
  std::vector<std::uint64_t> free_;                      // offsets; the last is the warmest
};

}  // namespace evener::data::transport
