#include "data/client/unit_order.h"

namespace evener::data::client {

Unit UnitOrder::first(Unit from) const {
  const std::uint64_t behind = from.batch % ranks;
  from.batch += (rank + ranks - behind) % ranks;
  if (from.batch >= batches_per_epoch) return {from.epoch + 1, rank};
  return from;
}

Unit UnitOrder::after(Unit unit) const {
  unit.batch += ranks;
  if (unit.batch >= batches_per_epoch) return {unit.epoch + 1, rank};
  return unit;
}

bool UnitOrder::ended(Unit unit) const {
  return rank >= batches_per_epoch || (epochs != 0 && unit.epoch >= epochs);
}

bool UnitOrder::contains(Unit unit) const {
  return !ended(unit) && unit.batch < batches_per_epoch && unit.batch % ranks == rank;
}

}  // namespace evener::data::client
