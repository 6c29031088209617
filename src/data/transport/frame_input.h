// Frames out of a stream of bytes: many small ones from one system call, large bodies straight to
// their place.
//
// Used by:  the servers and control_client.h; data/client.
// Threads:  one at a time.
// Fails:    kUnavailable at the peer's end, the errors of decode(), those of the sink.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/result.h"
#include "data/transport/byte_stream.h"
#include "data/transport/frame.h"

namespace evener::data::transport {

class FrameSink {
 public:
  virtual ~FrameSink() = default;
  // Sees each header before its body. Memory of wire_body_bytes() for the body, or nullptr: it
  // stays in the stream's buffer.
  virtual Result<std::byte*> place_for(const FrameHeader&) { return nullptr; }
  virtual Status on_frame(const FrameView& frame) = 0;
  // Memory for the stream's buffer, aligned to kAlignment.
  virtual Result<std::shared_ptr<std::byte>> new_chunk(std::size_t bytes);
};

// What becomes of the bytes of a frame after on_frame(): used again, or kept by who holds chunk().
enum class Retention { kConsumed, kRetained };

struct InputOptions {
  std::uint64_t body_limit = kMaxHelloBytes;
  std::size_t chunk_bytes = 4u << 10;
  std::size_t read_ahead = 4u << 10;      // bytes that are asked for beyond what is needed; 64 where
                                          // bodies have places, so that no body byte is copied
  Retention retention = Retention::kConsumed;
};

class FrameInput {
 public:
  explicit FrameInput(InputOptions options) : options_(options) {}
  // From the next frame on; also between frames of one read().
  void set_options(InputOptions options) { options_ = options; }
  // Reads what is there, at most about kTurnBytes, and hands it to `sink`.
  Status read(ByteStream& stream, FrameSink& sink);
  // The memory of the frame that on_frame() sees, unless it has a place.
  const std::shared_ptr<std::byte>& chunk() const { return chunk_; }
  // A part of a frame is there.
  bool in_frame() const { return place_ != nullptr || begin_ != end_; }

  static constexpr std::size_t kTurnBytes = 16u << 20;   // then another stream has its turn

 private:
  Result<Progress> fill(ByteStream& stream, FrameSink& sink, std::size_t& asked);
  Result<Progress> fill_place(ByteStream& stream, std::size_t& asked);
  Status make_room(FrameSink& sink, std::size_t needed);
  Status take_frames(FrameSink& sink);
  Result<bool> take_one(FrameSink& sink);
  Status finish_place(FrameSink& sink);
  std::size_t needed() const;

  InputOptions options_;
  std::shared_ptr<std::byte> chunk_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;                 // of the frame in hand; a multiple of kAlignment
  std::size_t end_ = 0;                   // of the bytes that are there
  std::optional<FrameHeader> header_;     // of the frame in hand
  std::byte* place_ = nullptr;            // of its body, where it has one
  std::size_t placed_ = 0;
};

}  // namespace evener::data::transport
