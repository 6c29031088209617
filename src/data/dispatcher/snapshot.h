// What a dispatcher knows at one moment, for people and for Prometheus.
//
// Used by:  dispatcher.h, apps.
// Threads:  values and pure functions.
// Fails:    never.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/document.h"
#include "data/statistics/statistics.h"
#include "data/transport/transport.h"

namespace evener::data::dispatcher {

struct ReaderState {
  std::uint32_t rank = 0;
  std::string address;
  transport::Unit next;                    // the first that it has not acknowledged
  std::uint64_t batches = 0;               // acknowledged since it came
  double wait = -1;                        // part of its time, 0 to 1; below 0: it does not say
};

struct WorkerState {
  std::uint32_t id = 0;
  std::string address;
  std::uint64_t open_units = 0;            // leased and not acknowledged
  statistics::Worker statistics;           // since it started
};

struct FeedState {
  std::uint32_t id = 0;
  std::string name;
  std::uint32_t generation = 0;
  std::uint32_t ranks = 1;
  std::uint32_t epochs = 1;
  std::uint64_t samples = 0;
  std::uint64_t batches_per_epoch = 0;
  std::string fingerprint;                 // of the definition
  std::uint64_t waiting_units = 0;         // to be leased again
  std::uint64_t failed_units = 0;
  std::vector<ReaderState> readers;
};

struct Snapshot {
  std::vector<WorkerState> workers;
  std::vector<FeedState> feeds;
  std::string verdict;                     // of the last seconds
};

document::Value to_document(const Snapshot& snapshot);
std::string metrics_text(const Snapshot& snapshot);

}  // namespace evener::data::dispatcher
