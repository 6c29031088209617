// Dispatcher, worker and reader in one process: the data service without a network, by the same code.
//
// Used by:  data_run_command.cc, data_bench_image.cc.
// Threads:  those of the three; next() as a reader's.
// Fails:    as they do.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "data/client/client.h"
#include "data/dispatcher/dispatcher.h"
#include "data/pipeline/pipeline.h"
#include "data/worker/worker.h"

namespace evener::app {

struct EmbeddedService {
  std::string address;                               // of the dispatcher
  std::unique_ptr<data::dispatcher::Dispatcher> dispatcher;
  std::unique_ptr<data::worker::Worker> worker;
  std::unique_ptr<data::client::Reader> reader;      // ends first
};

// A dispatcher and a worker; then a reader by open_embedded_reader().
Result<EmbeddedService> start_embedded(std::uint32_t threads, const storage::StoreSet& stores,
                                       const Clock& clock);
Status open_embedded_reader(EmbeddedService& service,
                            const data::pipeline::Definition& definition, const Clock& clock);

}  // namespace evener::app
