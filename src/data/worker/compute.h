// The loops of compute threads and read-ahead threads, and the end of a unit.
//
// Used by:  worker.cc.
// Threads:  each function is a thread's whole life, until it is stopped.
// Fails:    never; what goes wrong with a unit is told through `failed`.
#pragma once

#include <functional>
#include <stop_token>

#include "data/worker/unit_queue.h"

namespace evener::data::worker {

// A unit could not be made.
using OnFailed = std::function<void(const Work& work, const transport::Failed& failed)>;

void compute(UnitQueue& queue, const Clock& clock, const OnFailed& failed,
             const std::stop_token& stop);
void read_ahead(UnitQueue& queue, const Clock& clock, const std::stop_token& stop);

}  // namespace evener::data::worker
