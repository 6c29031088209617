// What a worker owes one reader: its credit, the memory of bodies in the making, the way out.
//
// Used by:  data_server.cc.
// Threads:  any.
// Fails:    as Outgoing; take_credit(): kCorrupt or kLimitExceeded for a reader that lies.
#pragma once

#include <condition_variable>
#include <memory>
#include <optional>
#include <set>

#include "base/mutex.h"
#include "data/transport/arena.h"
#include "data/transport/connection.h"
#include "data/transport/data_server.h"
#include "data/transport/slab_pool.h"

namespace evener::data::transport {

struct OutgoingOptions {
  StreamHello hello;
  std::uint64_t place_bytes = 0;         // the longest body, padded
  BodyChecksum checksum = BodyChecksum::kNone;
  std::shared_ptr<ArenaMemory> arena{};  // nothing: bodies travel through the socket
  std::uint64_t unsent_limit_bytes = 0;  // of bodies in slabs, whatever the credit
};

class OutgoingStream final : public Outgoing,
                             public Slot::Owner,
                             public std::enable_shared_from_this<OutgoingStream> {
 public:
  OutgoingStream(OutgoingOptions options, std::shared_ptr<Connection> connection);

  const StreamHello& hello() const override { return options_.hello; }
  std::uint64_t number() const override { return connection_->number(); }
  Result<std::optional<Slot>> try_reserve(Unit unit, std::uint64_t body_bytes) override;
  Result<Slot> reserve(Unit unit, std::uint64_t body_bytes, std::stop_token stop) override;
  Status send(const FrameHeader& header, Slot slot) override;
  Status fail(const Failed& failed) override;
  OutgoingStatistics statistics() const override;
  void close() override { connection_->close(); }
  void drop(Slot& slot) override;

  // The server's side.
  Status take_credit(const Credit& credit);
  // True if there is room again that was lacking.
  bool take_written(std::uint64_t slab_bytes);
  void end();                            // the connection is gone
  const std::shared_ptr<SlabPool>& pool() const { return pool_; }

 private:
  Result<std::optional<Slot>> reserve_locked(Unit unit, std::uint64_t body_bytes) REQUIRES(mutex_);
  Result<std::optional<Slot>> slab_locked(std::uint64_t body_bytes, std::uint64_t charge)
      REQUIRES(mutex_);

  const OutgoingOptions options_;
  const std::shared_ptr<Connection> connection_;
  const std::shared_ptr<SlabPool> pool_; // slabs hold a header and a body
  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  std::uint64_t credit_ GUARDED_BY(mutex_) = 0;
  std::uint64_t unsent_ GUARDED_BY(mutex_) = 0;          // bytes of slabs reserved or queued
  std::optional<Unit> only_ GUARDED_BY(mutex_);          // has room whatever the credit
  std::optional<ArenaPlaces> places_ GUARDED_BY(mutex_);
  std::multiset<Unit> waiting_ GUARDED_BY(mutex_);       // in reserve()
  OutgoingStatistics counts_ GUARDED_BY(mutex_);
  bool refused_ GUARDED_BY(mutex_) = false;              // a unit found no room
  bool grown_ GUARDED_BY(mutex_) = false;                // credit came since take_written()
  bool gone_ GUARDED_BY(mutex_) = false;
};

}  // namespace evener::data::transport
