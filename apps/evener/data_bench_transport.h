// `evener data bench transport`: the data path between two processes, with nothing to do at its ends.
//
// Used by:  data_flags.cc.
// Threads:  called on the main thread, once per process.
// Fails:    exit codes as commands.h.
#pragma once

#include <cstdint>
#include <string>

#include "evener/options.h"

namespace evener::app {

struct TransportBenchOptions {
  std::string kind = "tcp";               // or shm
  std::uint64_t bytes = 19'267'584;       // 128 x 224 x 224 x 3
  double seconds = 3;
  std::string touch;                      // none, worker, reader, both; "": by the kind
  bool checksum = false;
  OutputForm form = OutputForm::kText;
  std::string local;                      // of the worker: the name of its unix socket
};

// Who writes or reads every byte of a batch.
enum class Touching { kNone, kAll };
Touching touching_of(const TransportBenchOptions& options, const std::string& side);

int run_data_bench_transport(const TransportBenchOptions& options);
// The other process, started by the first: serves batches until its standard input ends.
int run_data_bench_transport_worker(const TransportBenchOptions& options);

}  // namespace evener::app
