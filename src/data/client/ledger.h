// Who holds how many bytes of bodies, and what has come back since the workers were last told.
//
// Used by:  the reader's thread, and whoever drops the last view of a body.
// Threads:  any.
// Fails:    nothing here.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "data/transport/transport.h"

namespace evener::data::client {

// Bytes of bodies that came back, and places of the arena.
struct Returned {
  std::uint64_t bytes = 0;
  std::vector<std::uint64_t> places{};
};

// Outlives the reader as long as a batch does.
class Ledger {
 public:
  Ledger(std::uint64_t wake_bytes, std::shared_ptr<transport::WakeQueue> wake)
      : wake_bytes_(wake_bytes), wake_(std::move(wake)) {}
  // `charged`: what counts against the worker's credit, at most `bytes`.
  void hold(std::uint64_t stream, std::uint64_t bytes, std::uint64_t charged);
  void release(std::uint64_t stream, std::uint64_t bytes, std::uint64_t charged);
  void release_place(std::uint64_t stream, std::uint64_t bytes, std::uint64_t place);
  Returned take_returned(std::uint64_t stream);
  void forget(std::uint64_t stream);                     // its connection is gone
  std::uint64_t held_bytes() const;                      // of all streams
  std::uint64_t charged_bytes(std::uint64_t stream) const;

 private:
  struct Account {
    std::uint64_t charged = 0;
    Returned returned;
  };
  void wake_if_due(std::uint64_t bytes) REQUIRES(mutex_);

  const std::uint64_t wake_bytes_;
  const std::shared_ptr<transport::WakeQueue> wake_;
  mutable Mutex mutex_;
  std::uint64_t held_ GUARDED_BY(mutex_) = 0;
  std::uint64_t untold_ GUARDED_BY(mutex_) = 0;          // returned since the last wake
  std::unordered_map<std::uint64_t, Account> accounts_ GUARDED_BY(mutex_);
};

}  // namespace evener::data::client
