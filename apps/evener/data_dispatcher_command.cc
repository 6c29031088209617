#include "base/clock.h"
#include "data/dispatcher/dispatcher.h"
#include "evener/commands.h"
#include "evener/data_serving.h"
#include "evener/interrupts.h"
#include "evener/machine.h"
#include "evener/run_service.h"

namespace evener::app {
namespace {

constexpr std::chrono::hours kTurn{24};       // of waiting for a signal

DataPages pages_of(data::dispatcher::Dispatcher& dispatcher) {
  return {.metrics =
              [&](const GivePage& give) {
                dispatcher.snapshot([give](const data::dispatcher::Snapshot& now) {
                  give(metrics_text(now), "text/plain; version=0.0.4");
                });
              },
          .status =
              [&](const GivePage& give) {
                dispatcher.snapshot([give](const data::dispatcher::Snapshot& now) {
                  give(document::write(to_document(now)) + "\n", "application/json");
                });
              }};
}

Result<int> serve(const DataDispatcherOptions& options, Interrupts& interrupts) {
  const SystemClock clock;
  auto listen = data_listen(options.serve, "evener-dispatcher");
  if (!listen) return tl::unexpected(std::move(listen.error()));
  raise_open_files_limit();
  const std::string address = listen->address;
  auto dispatcher = data::dispatcher::Dispatcher::start({.listen = std::move(*listen)}, clock);
  if (!dispatcher) return tl::unexpected(std::move(dispatcher.error()));
  auto pages = serve_data_pages(options.serve.metrics, pages_of(**dispatcher));
  if (!pages) return tl::unexpected(std::move(pages.error()));
  print_listening(options.serve.form, "dispatcher",
                  data::transport::to_string(data::transport::Endpoint{
                      .host = address, .port = (*dispatcher)->port()}),
                  pages->get());
  while (interrupts.wait(kTurn) == 0) {
  }
  return kExitDone;
}

}  // namespace

int run_data_dispatcher(const DataDispatcherOptions& options) {
  return run_service([&](Interrupts& interrupts) { return serve(options, interrupts); });
}

}  // namespace evener::app
