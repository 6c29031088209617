// What all data connections of a reader share once the dispatcher has welcomed it.
//
// Used by:  worker_stream.h, reader_loop.h.
// Threads:  the reader's.
// Fails:    check_data(): kCorrupt, naming what is wrong.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/client/client.h"
#include "data/client/ledger.h"
#include "data/client/reorder_window.h"
#include "data/client/unit_order.h"

namespace evener::data::client {

struct FeedState {
  std::shared_ptr<const FeedDescription> description;
  std::uint32_t feed = 0;
  std::uint32_t generation = 0;
  std::string token;
  UnitOrder order;
  std::uint64_t body_bytes = 0;             // of a whole batch
  std::uint64_t place_bytes = 0;            // what it counts as
  std::shared_ptr<Ledger> ledger;
  std::shared_ptr<transport::SlabPool> bodies;   // slabs for one body
  std::shared_ptr<transport::SlabPool> chunks;   // slabs for many small ones; null: none are used
  std::vector<Arrival> arrived;             // of this turn, in the order they came
};

// Feed, generation, unit, and a body as the schema has it.
Status check_data(const FeedState& feed, const transport::FrameHeader& header);

}  // namespace evener::data::client
