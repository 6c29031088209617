#include "base/clock.h"
#include "data/dispatcher/dispatcher.h"
#include "evener/commands.h"
#include "evener/data_serving.h"
#include "evener/interrupts.h"
#include "evener/machine.h"

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

Status serve(const DataDispatcherOptions& options, Interrupts& interrupts) {
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
  return ok();
}

}  // namespace

int run_data_dispatcher(const DataDispatcherOptions& options) {
  auto interrupts = Interrupts::make();   // before any other thread
  if (!interrupts) return report_error(interrupts.error(), kExitFailed);
  const Status served = serve(options, *interrupts);
  if (served) return kExitDone;
  const bool usage = served.error().code == ErrorCode::kInvalidArgument;
  return report_error(served.error(), usage ? kExitUsage : kExitFailed);
}

}  // namespace evener::app
