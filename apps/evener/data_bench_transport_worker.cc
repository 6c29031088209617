#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

#include "base/clock.h"
#include "data/transport/transport.h"
#include "evener/commands.h"
#include "evener/data_bench_transport.h"

namespace evener::app {
namespace {

namespace wire = data::transport;

// Gives the reader one batch after the other until it is gone.
void produce(wire::Outgoing& reader, const TransportBenchOptions& options,
             const std::stop_token& stop) {
  const Touching touching = touching_of(options, "worker");
  for (std::uint64_t batch = 0;; ++batch) {
    auto slot = reader.reserve({0, batch}, options.bytes, stop);
    if (!slot) return;
    if (touching == Touching::kAll)
      std::memset(slot->body().data(), static_cast<int>(batch & 0xff), slot->body().size());
    if (!reader.send({.samples = 1, .batch = batch}, std::move(*slot))) return;
  }
}

wire::ReaderEvents events_for(const TransportBenchOptions& options, std::jthread& producer) {
  wire::ReaderEvents events;
  events.on_hello = [&options](const wire::StreamHello&) -> Result<wire::FeedShape> {
    const auto axis = static_cast<std::uint32_t>(options.bytes);
    return wire::FeedShape{{{{"bytes", wire::DType::kU8, {axis}}}}, 1};
  };
  events.on_reader = [&](const std::shared_ptr<wire::Outgoing>& reader) {
    producer = std::jthread(
        [reader, &options](const std::stop_token& stop) { produce(*reader, options, stop); });
  };
  return events;
}

}  // namespace

Touching touching_of(const TransportBenchOptions& options, const std::string& side) {
  const std::string chosen =
      options.touch.empty() ? (options.kind == "shm" ? "both" : "none") : options.touch;
  return chosen == "both" || chosen == side ? Touching::kAll : Touching::kNone;
}

int run_data_bench_transport_worker(const TransportBenchOptions& options) {
  const SystemClock clock;
  wire::DataServerOptions server_options;
  if (const char* token = std::getenv("EVENER_DATA_TOKEN")) server_options.listen.token = token;
  server_options.listen.local = options.local;
  if (options.checksum) server_options.checksum = wire::BodyChecksum::kCrc32c;
  std::jthread producer;
  auto server =
      wire::open_data_server(std::move(server_options), events_for(options, producer), clock);
  if (!server) return report_error(server.error(), kExitFailed);
  std::printf("%d\n", (*server)->port());
  std::fflush(stdout);
  // The other process holds the writing end.
  char byte = 0;
  while (::read(STDIN_FILENO, &byte, 1) > 0) {
  }
  producer.request_stop();
  return kExitDone;
}

}  // namespace evener::app
