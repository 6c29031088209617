// The units of one rank in their order: batch b of each epoch goes to rank b mod ranks.
//
// Used by:  reorder_window.h, the reader.
// Threads:  a value.
// Fails:    nothing here.
#pragma once

#include <cstdint>

#include "data/transport/transport.h"

namespace evener::data::client {

using transport::Unit;

struct UnitOrder {
  std::uint32_t rank = 0;
  std::uint32_t ranks = 1;
  std::uint64_t batches_per_epoch = 0;
  std::uint32_t epochs = 0;                 // 0: without end

  // The first unit of this rank that is not before `from`.
  Unit first(Unit from) const;
  Unit after(Unit unit) const;
  // Behind the last unit; true at once where this rank has none.
  bool ended(Unit unit) const;
  // A unit of this rank that is there.
  bool contains(Unit unit) const;
};

}  // namespace evener::data::client
