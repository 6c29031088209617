#include "evener/data_service_flags.h"

#include <CLI/CLI.hpp>

#include "evener/data_options.h"
#include "evener/shared_flags.h"

namespace evener::app {
namespace {

constexpr std::uint32_t kMostThreads = 4096;

void add_serving(CLI::App& command, DataServeOptions& options) {
  add_json(command, options.form);
  command.add_option("--listen", options.listen, "ADDRESS:PORT; port 0 takes any that is free")
      ->capture_default_str();
  command.add_option("--token-file", options.token_file,
                     "file whose first line every peer must know (default: EVENER_DATA_TOKEN); "
                     "needed off loopback addresses");
  add_tls(command, options.tls_certificate, options.tls_key);
  command.add_option("--metrics", options.metrics,
                     "loopback ADDRESS:PORT with /metrics for Prometheus, and /status");
}

void add_dispatcher(CLI::App& data, int& exit_code) {
  auto options = std::make_shared<DataDispatcherOptions>();
  options->serve.listen = "127.0.0.1:7077";
  CLI::App* command = data.add_subcommand("dispatcher", "say which worker makes which batch");
  add_serving(*command, options->serve);
  command->callback([options, &exit_code] { exit_code = run_data_dispatcher(*options); });
}

void add_worker(CLI::App& data, int& exit_code) {
  auto options = std::make_shared<DataWorkerOptions>();
  options->serve.listen = "127.0.0.1:0";
  CLI::App* command = data.add_subcommand("worker", "read, decode and send batches");
  command->add_option("--dispatcher", options->dispatcher, "HOST:PORT of the dispatcher")->required();
  add_serving(*command, options->serve);
  command->add_option("--advertise", options->advertise,
                      "name or address of this machine for readers (default: as it listens)");
  command->add_option("--tls-ca", options->tls_authority,
                      "PEM file to trust: TLS to the dispatcher");
  command->add_option("--threads", options->threads, "compute threads (default: one for each CPU)")
      ->check(CLI::Range(1u, kMostThreads));
  command->add_option("--read-threads", options->read_threads,
                      "threads that read ahead where reading takes long")
      ->check(CLI::Range(0u, kMostThreads))
      ->capture_default_str();
  command->add_option("--checksum", options->checksum, "of bodies: none or crc32c")
      ->check(CLI::IsMember({"none", "crc32c"}))
      ->capture_default_str();
  command->callback([options, &exit_code] { exit_code = run_data_worker(*options); });
}

void add_run(CLI::App& data, int& exit_code) {
  auto options = std::make_shared<DataRunOptions>();
  CLI::App* command = data.add_subcommand(
      "run", "a pipeline in this process alone: how fast it is, and what holds it up");
  command->add_option("pipeline", options->pipeline, "TOML file with the pipeline")->required();
  add_json(*command, options->form);
  command->add_option("--threads", options->threads, "compute threads (default: one for each CPU)")
      ->check(CLI::Range(1u, kMostThreads));
  command->add_option("--seconds", options->seconds, "stop after so long (default: at the end)")
      ->check(CLI::NonNegativeNumber);
  command->callback([options, &exit_code] { exit_code = run_data_run(*options); });
}

void add_read(CLI::App& data, int& exit_code) {
  auto options = std::make_shared<DataReadOptions>();
  CLI::App* command = data.add_subcommand(
      "read", "read a feed as a trainer would: what comes, how fast, and who waits");
  command->add_option("--dispatcher", options->dispatcher, "HOST:PORT of the dispatcher")->required();
  command->add_option("--pipeline", options->pipeline,
                      "TOML file with the pipeline (default: join the feed that is there)");
  add_json(*command, options->form);
  command->add_option("--feed", options->feed, "name of the feed")->capture_default_str();
  command->add_option("--rank", options->rank, "which of the ranks this is")->capture_default_str();
  command->add_option("--ranks", options->ranks, "readers that share the batches")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--from-epoch", options->from_epoch, "begin there")->capture_default_str();
  command->add_option("--from-batch", options->from_batch, "and there")->capture_default_str();
  command->add_option("--batches", options->batches, "read so many (default: to the end)");
  command->add_option("--step-ms", options->step_ms, "wait so long after each batch, as a trainer")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--memory", options->memory, "for batches that have come and are not yet read")
      ->capture_default_str();
  command->add_flag("--digest", options->digest, "with --json: the SHA-256 of each batch");
  command->add_option("--token-file", options->token_file,
                      "file whose first line the dispatcher wants (default: EVENER_DATA_TOKEN)");
  command->add_option("--tls-ca", options->tls_authority, "PEM file to trust; then TLS");
  command->callback([options, &exit_code] { exit_code = run_data_read(*options); });
}

void add_image_flags(CLI::App& command, DataImageBenchOptions& options) {
  add_json(command, options.form);
  command.add_option("--input", options.input, "folder with photographs")->required();
  command.add_option("--seconds", options.seconds, "how long to measure")
      ->check(CLI::Range(0.01, 3600.0))
      ->capture_default_str();
  command.add_option("--format", options.format, "f32 (normalised) or u8")
      ->check(CLI::IsMember({"f32", "u8"}))
      ->capture_default_str();
}

}  // namespace

void add_data_service(CLI::App& data, int& exit_code) {
  add_dispatcher(data, exit_code);
  add_worker(data, exit_code);
  add_read(data, exit_code);
  add_run(data, exit_code);
}

void add_data_image_benches(CLI::App& bench, int& exit_code) {
  auto image = std::make_shared<DataImageBenchOptions>();
  CLI::App* command = bench.add_subcommand(
      "image", "photographs to batches of 64 random crops of 224 x 224, and how right they are");
  add_image_flags(*command, *image);
  command->add_option("--cores", image->cores, "CPUs that this process may use")
      ->check(CLI::Range(1u, kMostThreads))
      ->capture_default_str();
  command->callback([image, &exit_code] { exit_code = run_data_bench_image(*image); });

  auto stages = std::make_shared<DataImageBenchOptions>();
  command = bench.add_subcommand("stages", "each stage of that pipeline alone, on one core");
  add_image_flags(*command, *stages);
  command->callback([stages, &exit_code] { exit_code = run_data_bench_stages(*stages); });
}

}  // namespace evener::app
