#include "base/clock.h"
#include "data/worker/worker.h"
#include "evener/commands.h"
#include "evener/data_serving.h"
#include "evener/interrupts.h"
#include "evener/machine.h"
#include "evener/run_service.h"

namespace evener::app {
namespace {

namespace transport = data::transport;

constexpr std::chrono::hours kTurn{24};       // of waiting for a signal

DataPages pages_of(const data::worker::Worker& worker) {
  return {.metrics =
              [&worker](const GivePage& give) {
                data::statistics::Exposition exposition;
                expose({{"", worker.statistics()}}, exposition);
                give(exposition.text(), "text/plain; version=0.0.4");
              },
          .status =
              [&worker](const GivePage& give) {
                document::Value value = to_document(worker.statistics());
                value.set("dispatcher", document::make_string(worker.state()));
                value.set("verdict", document::make_string(data::statistics::verdict(
                                         {worker.statistics()}, -1)));
                give(document::write(value) + "\n", "application/json");
              }};
}

Result<data::worker::WorkerOptions> worker_options(const DataWorkerOptions& options) {
  auto listen = data_listen(options.serve, "evener-worker");
  if (!listen) return tl::unexpected(std::move(listen.error()));
  auto endpoint = transport::parse_endpoint(options.dispatcher);
  if (!endpoint) return failure_in("--dispatcher", std::move(endpoint.error()));
  data::worker::WorkerOptions wanted;
  wanted.dispatcher = {.endpoint = std::move(*endpoint), .tls_authority = options.tls_authority};
  wanted.listen = std::move(*listen);
  wanted.advertise = options.advertise;
  wanted.threads = options.threads > 0 ? options.threads : usable_cpus();
  wanted.read_threads = options.read_threads;
  wanted.checksum = options.checksum == "crc32c" ? transport::BodyChecksum::kCrc32c
                                                 : transport::BodyChecksum::kNone;
  return wanted;
}

Result<int> serve(const DataWorkerOptions& options, Interrupts& interrupts) {
  const SystemClock clock;
  auto stores = DataStores::make();
  if (!stores) return tl::unexpected(std::move(stores.error()));
  auto wanted = worker_options(options);
  if (!wanted) return tl::unexpected(std::move(wanted.error()));
  raise_open_files_limit();
  const std::string address = wanted->listen.address;
  auto worker = data::worker::Worker::start(std::move(*wanted), (*stores)->set(), clock);
  if (!worker) return tl::unexpected(std::move(worker.error()));
  auto pages = serve_data_pages(options.serve.metrics, pages_of(**worker));
  if (!pages) return tl::unexpected(std::move(pages.error()));
  print_listening(
      options.serve.form, "worker",
      transport::to_string(transport::Endpoint{.host = address, .port = (*worker)->port()}),
      pages->get());
  while (interrupts.wait(kTurn) == 0) {
  }
  return kExitDone;
}

}  // namespace

int run_data_worker(const DataWorkerOptions& options) {
  return run_service([&](Interrupts& interrupts) { return serve(options, interrupts); });
}

}  // namespace evener::app
