#include "data/client/ledger.h"

#include <utility>

namespace evener::data::client {

void Ledger::hold(std::uint64_t stream, std::uint64_t bytes, std::uint64_t charged) {
  const MutexLock lock(mutex_);
  held_ += bytes;
  accounts_[stream].charged += charged;
}

void Ledger::release(std::uint64_t stream, std::uint64_t bytes, std::uint64_t charged) {
  const MutexLock lock(mutex_);
  held_ -= bytes;
  if (const auto found = accounts_.find(stream); found != accounts_.end()) {
    found->second.charged -= charged;
    found->second.returned.bytes += charged;
  }
  wake_if_due(bytes);
}

void Ledger::release_place(std::uint64_t stream, std::uint64_t bytes, std::uint64_t place) {
  const MutexLock lock(mutex_);
  held_ -= bytes;
  if (const auto found = accounts_.find(stream); found != accounts_.end()) {
    found->second.charged -= bytes;
    found->second.returned.places.push_back(place);
  }
  wake_if_due(bytes);
}

Returned Ledger::take_returned(std::uint64_t stream) {
  const MutexLock lock(mutex_);
  const auto found = accounts_.find(stream);
  if (found == accounts_.end()) return {};
  return std::exchange(found->second.returned, {});
}

void Ledger::forget(std::uint64_t stream) {
  const MutexLock lock(mutex_);
  accounts_.erase(stream);
}

std::uint64_t Ledger::held_bytes() const {
  const MutexLock lock(mutex_);
  return held_;
}

std::uint64_t Ledger::charged_bytes(std::uint64_t stream) const {
  const MutexLock lock(mutex_);
  const auto found = accounts_.find(stream);
  return found == accounts_.end() ? 0 : found->second.charged;
}

void Ledger::wake_if_due(std::uint64_t bytes) {
  untold_ += bytes;
  if (untold_ < wake_bytes_) return;
  untold_ = 0;
  wake_->wake(0);
}

}  // namespace evener::data::client
