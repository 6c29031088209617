// A worker's data connections: readers say what they can hold, batches go to them in place.
//
// Used by:  data/worker; apps (bench transport).
// Threads:  one thread of its own has all sockets and calls the events; an event returns soon.
//           Outgoing and Slot may be used from any thread.
// Fails:    open: kUnavailable for a taken address, kInvalidArgument. Outgoing: kUnavailable once
//           its reader is gone. Readers that lie (credit, places) are dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "data/transport/endpoint.h"
#include "data/transport/frame.h"
#include "data/transport/messages.h"
#include "data/transport/schema.h"

namespace evener::data::transport {

// Memory for one body: a place in the reader's arena, or a slab that is written to its socket.
// Bytes are not zeroed. Dropped unsent, its credit comes back.
class Slot {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual void drop(Slot& slot) = 0;
  };
  Slot() = default;
  Slot(std::shared_ptr<Owner> owner, std::byte* data, std::uint64_t bytes, std::uint64_t token);
  Slot(Slot&& other) noexcept;
  Slot& operator=(Slot&& other) noexcept;
  ~Slot();
  std::span<std::byte> body() const { return {data_, bytes_}; }   // 64-byte aligned
  explicit operator bool() const { return data_ != nullptr; }
  std::uint64_t token() const { return token_; }                  // the owner's own
  // The owner takes the memory back; the slot is empty.
  void release() { owner_.reset(); data_ = nullptr; }

 private:
  std::shared_ptr<Owner> owner_;
  std::byte* data_ = nullptr;
  std::uint64_t bytes_ = 0;
  std::uint64_t token_ = 0;
};

struct OutgoingStatistics {
  std::uint64_t frames = 0;
  std::uint64_t body_bytes = 0;
  std::uint64_t credit_bytes = 0;           // what may be reserved now
};

class Outgoing {
 public:
  virtual ~Outgoing() = default;
  virtual const StreamHello& hello() const = 0;
  virtual std::uint64_t number() const = 0;              // unique in its server, never used again
  // Nothing while the reader has no room for `unit`; on_credit tells when to try again. A worker
  // tries its lowest unit first: the reader always gives room to the unit it waits for, and names it.
  virtual Result<std::optional<Slot>> try_reserve(Unit unit, std::uint64_t body_bytes) = 0;
  // Waits for room, in the order of units. kCancelled when stopped.
  virtual Result<Slot> reserve(Unit unit, std::uint64_t body_bytes, std::stop_token stop) = 0;
  // Sends a whole batch: unit, attempt and samples of the header count, and body_bytes of a body that
  // is shorter than its slot; the rest is filled in.
  virtual Status send(const FrameHeader& header, Slot slot) = 0;
  virtual Status fail(const Failed& failed) = 0;
  virtual OutgoingStatistics statistics() const = 0;
  virtual void close() = 0;                              // on_gone follows
};

struct FeedShape {
  Schema schema;
  std::uint32_t batch_size = 1;
};

struct ReaderEvents {
  // May this reader have the feed, and what is it? An error refuses it.
  std::function<Result<FeedShape>(const StreamHello&)> on_hello;
  std::function<void(const std::shared_ptr<Outgoing>&)> on_reader;
  // There is more room than before.
  std::function<void(const std::shared_ptr<Outgoing>&)> on_credit = {};
  std::function<void(const std::shared_ptr<Outgoing>&, const Error& why)> on_gone = {};
};

enum class BodyChecksum { kNone, kCrc32c };

struct DataServerOptions {
  ListenOptions listen;
  BodyChecksum checksum = BodyChecksum::kNone;
  std::uint64_t arena_limit_bytes = 1ull << 30;          // of one reader; its hello asks for less
  // Bodies in the making or waiting for the socket of one reader, whatever its credit; three are
  // always taken. More of them would only be memory that is cold when the socket wants it.
  std::uint64_t unsent_limit_bytes = 32u << 20;
};

class DataServer {
 public:
  virtual ~DataServer() = default;                       // closes all; no event afterwards
  virtual std::uint16_t port() const = 0;                // 0 without TCP
};

Result<std::unique_ptr<DataServer>> open_data_server(DataServerOptions options,
                                                     ReaderEvents events, const Clock& clock);

}  // namespace evener::data::transport
