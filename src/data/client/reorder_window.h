// Brings what many workers send into the order of units, each once.
//
// Used by:  the reader's thread.
// Threads:  one at a time.
// Fails:    nothing here.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "data/client/client.h"
#include "data/client/unit_order.h"

namespace evener::data::client {

// A batch as it came, or why it did not.
struct Arrival {
  transport::FrameHeader header;
  std::shared_ptr<const std::byte> body{};
  std::shared_ptr<const FailedUnit> failed{};
  bool in_arena = false;
};

class ReorderWindow {
 public:
  ReorderWindow(UnitOrder order, Unit from) : order_(order), next_(order.first(from)) {}
  // Appends to `ready` what is in order now; false for a duplicate, which is dropped.
  bool add(Arrival arrival, std::vector<Arrival>& ready);
  Unit next() const { return next_; }                    // the first that has not come
  bool ended() const { return order_.ended(next_); }
  std::size_t held_back() const { return held_back_.size(); }
  const UnitOrder& order() const { return order_; }

 private:
  const UnitOrder order_;
  Unit next_;
  std::map<Unit, Arrival> held_back_;                    // bounded by the credit of their bodies
};

}  // namespace evener::data::client
