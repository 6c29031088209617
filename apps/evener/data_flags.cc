#include "evener/data_flags.h"

#include <CLI/CLI.hpp>

#include "evener/data_bench_transport.h"
#include "evener/data_service_flags.h"
#include "evener/shared_flags.h"

namespace evener::app {
namespace {

void add_transport_flags(CLI::App& command, TransportBenchOptions& options) {
  command.add_option("--kind", options.kind, "tcp (loopback) or shm (the arena of one host)")
      ->check(CLI::IsMember({"tcp", "shm"}))
      ->capture_default_str();
  command.add_option("--bytes", options.bytes, "bytes of a batch")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 31))
      ->capture_default_str();
  command.add_option("--touch", options.touch,
                     "who touches every byte: none, worker, reader, both (default: shm both, tcp "
                     "none)")
      ->check(CLI::IsMember({"none", "worker", "reader", "both"}));
  command.add_flag("--checksum", options.checksum, "with a checksum of every body");
}

void add_bench_transport(CLI::App& bench, int& exit_code) {
  auto options = std::make_shared<TransportBenchOptions>();
  CLI::App* transport = bench.add_subcommand(
      "transport", "batches that cost nothing, from a worker process to a reader");
  add_transport_flags(*transport, *options);
  transport->add_option("--seconds", options->seconds, "how long to measure")
      ->check(CLI::Range(0.01, 3'600.0))
      ->capture_default_str();
  add_json(*transport, options->form);
  transport->callback([options, &exit_code] { exit_code = run_data_bench_transport(*options); });

  auto worker_options = std::make_shared<TransportBenchOptions>();
  CLI::App* worker = bench.add_subcommand("transport-worker", "")->group("");
  add_transport_flags(*worker, *worker_options);
  worker->add_option("--local", worker_options->local)->required();
  worker->callback(
      [worker_options, &exit_code] { exit_code = run_data_bench_transport_worker(*worker_options); });
}

}  // namespace

void add_data(CLI::App& root, int& exit_code) {
  CLI::App* data = root.add_subcommand("data", "the data service: decoding on other machines");
  data->require_subcommand(1);
  add_data_service(*data, exit_code);
  CLI::App* bench = data->add_subcommand("bench", "how fast its parts are on this machine");
  bench->require_subcommand(1);
  add_data_image_benches(*bench, exit_code);
  add_bench_transport(*bench, exit_code);
}

}  // namespace evener::app
