#include "control_plane/stores/stores.h"

#include <utility>

namespace evener::control_plane {

Result<Stores::Lease> Stores::take() {
  {
    MutexLock lock(mutex_);
    if (!idle_.empty()) {
      Reader reader = std::move(idle_.back());
      idle_.pop_back();
      return Lease(*this, std::move(reader));
    }
  }
  auto store = store::open_store(home_);
  if (!store) return tl::unexpected<Error>(store.error());
  auto feed = store::open_change_feed(home_);
  if (!feed) return tl::unexpected<Error>(feed.error());
  return Lease(*this, Reader{std::move(*store), std::move(*feed), -1});
}

void Stores::give_back(Reader reader) {
  MutexLock lock(mutex_);
  idle_.push_back(std::move(reader));
}

}  // namespace evener::control_plane
