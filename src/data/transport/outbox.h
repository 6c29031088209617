// Frames that wait for their socket, written many with one system call.
//
// Used by:  the servers and control_client.h; data/client.
// Threads:  one at a time.
// Fails:    flush(): kUnavailable when the peer is gone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "data/transport/byte_stream.h"
#include "data/transport/slab_pool.h"
#include "os/unique_fd.h"

namespace evener::data::transport {

struct OutFrame {
  std::string text{};                    // the whole frame; or
  std::byte* slab = nullptr;             // header and body in a slab of the outbox's pool
  std::size_t bytes = 0;                 // of the slab that are the frame
  os::UniqueFd descriptor{};             // passed along with the first byte
  std::size_t size() const { return slab != nullptr ? bytes : text.size(); }
  const std::byte* data() const {
    return slab != nullptr ? slab : reinterpret_cast<const std::byte*>(text.data());
  }
};

class Outbox {
 public:
  Outbox() = default;
  ~Outbox();
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;
  // Before the first frame with a slab.
  void set_pool(std::shared_ptr<SlabPool> pool) { pool_ = std::move(pool); }
  void add(OutFrame frame);
  // Writes until all is written or the socket is full.
  Status flush(ByteStream& stream);
  bool empty() const { return frames_.empty(); }
  std::uint64_t bytes() const { return bytes_; }          // unsent
  void clear();
  // Gives back the slab of a frame that was not added; any thread.
  void discard(OutFrame frame);
  // Bytes of slabs that were written since the last call.
  std::uint64_t take_written_slab_bytes() { return std::exchange(written_slab_bytes_, 0); }

 private:
  Result<Progress> write_some(ByteStream& stream);
  void drop_written(std::size_t bytes);
  void give_back(OutFrame& frame);

  std::shared_ptr<SlabPool> pool_;
  std::deque<OutFrame> frames_;
  std::size_t sent_ = 0;                 // of the first frame
  std::uint64_t bytes_ = 0;
  std::uint64_t written_slab_bytes_ = 0;
};

}  // namespace evener::data::transport
