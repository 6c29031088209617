// The data connection to one worker: its hello, its credit, its batches.
//
// Used by:  reader_loop.h.
// Threads:  the reader's.
// Fails:    serve(): as Link; kCorrupt for a worker that breaks the protocol.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/client/feed_state.h"
#include "data/client/link.h"

namespace evener::data::client {

class WorkerStream final : private transport::FrameSink {
 public:
  WorkerStream(FeedState& feed, transport::WorkerPlace place, std::uint64_t id)
      : feed_(feed), place_(std::move(place)), id_(id) {}
  ~WorkerStream() override { close(); }

  const transport::WorkerPlace& place() const { return place_; }
  std::uint64_t id() const { return id_; }               // of this connection
  Link& link() { return link_; }
  bool open() const { return open_; }
  bool local() const { return arena_ != nullptr; }

  // `credit_bytes` is what the worker may send at once, or the size of the arena.
  Status start(const transport::Endpoint& endpoint, transport::TlsSide* tls,
               std::uint64_t credit_bytes, MonotonicTime now);
  Status serve(std::uint32_t events, MonotonicTime now) { return link_.serve(events, *this, now); }
  void close();

  // Bytes that the worker may still send.
  std::uint64_t potential() const;
  // As much as it should have in all, out of `free` bytes; answers what it was given.
  std::uint64_t grant(std::uint64_t target, std::uint64_t free);
  // Room for one body of `unit`, if the worker has none.
  void grant_only(Unit unit);
  void give_back_places();

  MonotonicTime retry_at;                   // the loop's: when to connect again
  int failures = 0;                         // the loop's: since it last was open

 private:
  struct ChunkBytes;

  Result<std::byte*> place_for(const transport::FrameHeader& header) override;
  Result<std::shared_ptr<std::byte>> new_chunk(std::size_t bytes) override;
  Status on_frame(const transport::FrameView& frame) override;
  Status on_welcome(const transport::FrameView& frame);
  Status on_data(const transport::FrameView& frame);
  Status on_failed(const transport::FrameView& frame);
  Status charge(const transport::FrameHeader& header);
  Result<std::shared_ptr<const std::byte>> body_of(const transport::FrameView& frame);
  Result<std::shared_ptr<const std::byte>> arena_body(const transport::FrameHeader& header);
  std::shared_ptr<const std::byte> slab_body(const transport::FrameHeader& header);
  std::shared_ptr<const std::byte> chunk_body(const transport::FrameView& frame);
  void choose_buffers();

  FeedState& feed_;
  const transport::WorkerPlace place_;
  const std::uint64_t id_;
  Link link_;
  bool open_ = false;
  std::uint64_t granted_ = 0;               // sent as credit, not come back as bodies
  std::set<Unit> only_;                     // have room of their own; at most kMaxOnly
  std::byte* slab_ = nullptr;               // for the body that comes in now
  std::shared_ptr<ChunkBytes> chunk_bytes_; // of the chunk that is filled now
  std::shared_ptr<transport::ArenaMemory> arena_;
  std::uint64_t arena_place_bytes_ = 0;
  std::vector<bool> places_held_;
};

}  // namespace evener::data::client
