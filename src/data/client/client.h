// The reader of a feed: batches of one rank, in order, each once, without a copy.
//
// Used by:  trainers in C++, python/evener, apps (data run).
// Threads:  next() from one thread at a time; close(), statistics() from any. One thread of its
//           own has all sockets. A Batch may be shared, and outlive its Reader.
// Fails:    open: the code of a refusal, kUnavailable, kTimedOut. next: kUnavailable when dispatcher
//           and workers stay away, kCorrupt for a body whose checksum is wrong, kCancelled after
//           close(), and the error of a unit that could not be made, naming worker, unit and samples
//           (the next call goes on behind it).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/document.h"
#include "base/result.h"
#include "data/transport/transport.h"

namespace evener::data::client {

enum class LocalPath { kWhenPossible, kNever };          // the arena of workers on this host

struct ReaderOptions {
  std::string dispatcher;                   // "host:port" or "unix:name"
  std::string token{};
  std::string tls_authority{};              // path of a PEM file to trust; "": no TLS
  std::string feed = "default";
  std::optional<document::Value> pipeline{};  // nothing: join the feed that is there
  std::uint32_t rank = 0;
  std::uint32_t ranks = 1;
  transport::Unit from{};                   // the first batch that is wanted
  // Bodies received and not yet dropped; at least one for each worker and one more.
  std::uint64_t memory_bytes = 256u << 20;
  LocalPath local = LocalPath::kWhenPossible;
  std::chrono::milliseconds connect_timeout{10'000};
  std::chrono::milliseconds patience{30'000};  // without dispatcher, or without a worker
};

struct Tensor {
  std::string_view name;                    // lives as long as the batch
  transport::DType dtype = transport::DType::kU8;
  std::vector<std::uint64_t> shape;         // with the batch axis
  const std::byte* data = nullptr;          // 64-byte aligned, C order
  std::uint64_t bytes = 0;
};

// What all batches of a feed share.
struct FeedDescription {
  transport::Schema schema;
  std::uint32_t batch_size = 1;
  std::uint64_t batches_per_epoch = 0;      // of all ranks together
  std::uint32_t epochs = 0;                 // 0: without end
};

class Batch {
 public:
  Batch() = default;
  Batch(std::shared_ptr<const FeedDescription> feed, std::shared_ptr<const std::byte> body,
        const transport::FrameHeader& header);
  std::uint32_t epoch() const { return unit_.epoch; }
  std::uint64_t index() const { return unit_.batch; }
  std::uint32_t samples() const { return samples_; }
  std::uint64_t body_bytes() const { return body_bytes_; }
  std::vector<Tensor> tensors() const;
  // The whole body; whoever holds it keeps the memory.
  const std::shared_ptr<const std::byte>& memory() const { return body_; }

 private:
  std::shared_ptr<const FeedDescription> feed_;
  std::shared_ptr<const std::byte> body_;
  transport::Unit unit_;
  std::uint64_t body_bytes_ = 0;
  std::uint32_t samples_ = 0;
};

struct ReaderStatistics {
  std::uint64_t batches = 0;                // handed out
  std::uint64_t body_bytes = 0;
  std::uint64_t arena_batches = 0;          // that came through shared memory
  std::uint64_t duplicates = 0;             // dropped
  std::uint64_t failed_units = 0;
  std::chrono::nanoseconds wait{0};         // time in next() without a batch there
  std::uint64_t ready = 0;                  // received and in order, not taken
  std::uint64_t held_back = 0;              // received, waiting for one before them
  std::uint64_t memory_bytes = 0;           // received and not yet dropped
  std::uint32_t workers = 0;                // connected
};

// A unit that no worker could make.
struct FailedUnit {
  transport::Unit unit;
  std::vector<std::uint64_t> samples;       // that failed: indices in the source
  std::uint32_t worker = 0;                 // its number at the dispatcher
  Error error;
};

class Reader {
 public:
  // Connects, says hello, and returns once the dispatcher has welcomed this reader.
  // kCancelled when `stop` is requested meanwhile.
  static Result<std::unique_ptr<Reader>> open(ReaderOptions options, const Clock& clock,
                                              std::stop_token stop = {});
  virtual ~Reader() = default;              // closes
  virtual const FeedDescription& feed() const = 0;
  // Nothing at the end of the last epoch.
  virtual Result<std::optional<Batch>> next() = 0;
  // True when next() would not wait; false when `timeout` is over. For those who look at something
  // else between two turns of one wait; from next()'s thread.
  virtual bool wait(std::chrono::milliseconds timeout) = 0;
  // Of the last next() that answered with an error of a unit. From next()'s thread.
  virtual const std::optional<FailedUnit>& failed_unit() const = 0;
  virtual transport::Unit position() const = 0;          // what next() gives next
  virtual ReaderStatistics statistics() const = 0;
  // Wakes a next() that waits; ends the thread and all connections.
  virtual void close() = 0;
};

}  // namespace evener::data::client
