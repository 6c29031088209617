// The dispatcher: knows feeds, readers and workers, and leases units ahead of need. No sample passes
// through it.
//
//   readers ─ hello, acks ─▶ feeds ─ leases ─▶ workers ─ batches ─▶ readers
//
// A feed has a name and begins with the first reader that brings its pipeline. A generation is one
// life of its readers: a rank that comes anew, or other ranks, begin the next one, and what was
// leased before counts for nothing.
//
// Used by:  apps (data dispatcher, data run, data bench).
// Threads:  start() returns at once; one thread of the control server has all state. The other calls
//           from any thread.
// Fails:    start: as the control server. Readers that cannot be served are refused with the reason.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "base/clock.h"
#include "base/result.h"
#include "data/dispatcher/snapshot.h"
#include "data/transport/transport.h"

namespace evener::data::dispatcher {

inline constexpr std::size_t kMaxFeeds = 256;
inline constexpr std::size_t kMaxWorkers = 10'000;

struct DispatcherOptions {
  transport::ListenOptions listen;
};

class Dispatcher {
 public:
  // `clock` outlives the dispatcher.
  static Result<std::unique_ptr<Dispatcher>> start(DispatcherOptions options, const Clock& clock);
  virtual ~Dispatcher() = default;         // closes all
  virtual std::uint16_t port() const = 0;
  // Calls `take` soon, on the dispatcher's thread.
  virtual void snapshot(std::function<void(const Snapshot&)> take) = 0;
};

}  // namespace evener::data::dispatcher
