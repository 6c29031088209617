// A worker: makes the units that its dispatcher leases to it and sends them to readers.
//
//   dispatcher ─▶ link ─▶ leases ┐
//                                ├─▶ unit queue ─▶ compute threads ─▶ data server ─▶ readers
//   readers ─▶ credit ───────────┘        ▲
//                                   read-ahead threads
//
// Used by:  apps (data worker, data run, data bench).
// Threads:  start() returns at once. Threads of its own: link, feed preparation, data server,
//           options.threads for computing, options.read_threads for reading. Statistics from any.
// Fails:    start: a taken address, kInvalidArgument. Later a dispatcher that is away is asked again
//           until it is back; why is logged and in state().
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "data/statistics/statistics.h"
#include "data/transport/transport.h"
#include "storage/storage.h"

namespace evener::data::worker {

inline constexpr std::uint64_t kReadAheadBytes = 64u << 20;   // of samples that wait for a thread
inline constexpr std::size_t kReadAheadSamples = 1024;

struct WorkerOptions {
  transport::ConnectOptions dispatcher;
  transport::ListenOptions listen;          // its token is shown to the dispatcher, too
  std::string advertise{};                  // host that readers connect to; "": listen.address
  std::uint32_t threads = 1;
  std::uint32_t read_threads = 8;           // used only where reading takes long
  transport::BodyChecksum checksum = transport::BodyChecksum::kNone;
};

class Worker {
 public:
  // `stores` and `clock` outlive the worker.
  static Result<std::unique_ptr<Worker>> start(WorkerOptions options,
                                               const storage::StoreSet& stores, const Clock& clock);
  virtual ~Worker() = default;              // ends all threads and connections
  virtual std::uint16_t port() const = 0;   // of the data server
  virtual statistics::Worker statistics() const = 0;
  // "connected", or why not.
  virtual std::string state() const = 0;
};

}  // namespace evener::data::worker
