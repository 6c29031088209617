#include "evener/data_embedded.h"

#include "base/ids.h"

namespace evener::app {
namespace {

namespace transport = data::transport;

// An index of a large data set is made before the reader is welcomed.
constexpr std::chrono::minutes kIndexPatience{30};
constexpr std::size_t kNameLength = 16;

}  // namespace

// Both listen on abstract unix sockets only, which take the same user without a token.
Result<EmbeddedService> start_embedded(std::uint32_t threads, const storage::StoreSet& stores,
                                       const Clock& clock) {
  SystemRandom random;
  const std::string name = "evener-run-" + random_suffix(random, kNameLength);
  EmbeddedService service;
  transport::ListenOptions listen;
  listen.address = "";
  listen.local = name + "-dispatcher";
  auto dispatcher = data::dispatcher::Dispatcher::start({.listen = listen}, clock);
  if (!dispatcher) return tl::unexpected(std::move(dispatcher.error()));
  service.dispatcher = std::move(*dispatcher);
  service.address = "unix:" + listen.local;
  data::worker::WorkerOptions options;
  options.dispatcher.endpoint = {.host = listen.local, .kind = transport::Endpoint::Kind::kUnix};
  options.listen = listen;
  options.listen.local = name + "-worker";
  options.advertise = "127.0.0.1";
  options.threads = threads;
  auto worker = data::worker::Worker::start(std::move(options), stores, clock);
  if (!worker) return tl::unexpected(std::move(worker.error()));
  service.worker = std::move(*worker);
  return service;
}

Status open_embedded_reader(EmbeddedService& service,
                            const data::pipeline::Definition& definition, const Clock& clock) {
  data::client::ReaderOptions options;
  options.dispatcher = service.address;
  options.pipeline = to_document(definition);
  options.connect_timeout = kIndexPatience;
  auto reader = data::client::Reader::open(std::move(options), clock);
  if (!reader) return tl::unexpected(std::move(reader.error()));
  service.reader = std::move(*reader);
  return ok();
}

}  // namespace evener::app
