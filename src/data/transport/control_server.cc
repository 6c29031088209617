#include "data/transport/control_server.h"

#include <utility>

#include "data/transport/server_loop.h"

namespace evener::data::transport {
namespace {

class LoopControlServer final : public ControlServer {
 public:
  explicit LoopControlServer(std::unique_ptr<ServerLoop> loop) : loop_(std::move(loop)) {}
  std::uint16_t port() const override { return loop_->port(); }
  void post(std::function<void()> call) override { loop_->post(std::move(call)); }

 private:
  std::unique_ptr<ServerLoop> loop_;
};

}  // namespace

Result<std::unique_ptr<ControlServer>> open_control_server(ControlServerOptions options,
                                                           ControlEvents events,
                                                           const Clock& clock) {
  LoopOptions loop_options;
  loop_options.listen = std::move(options.listen);
  loop_options.tick = options.tick;
  loop_options.silence_limit = options.silence_limit;
  loop_options.queue_limit_bytes = options.queue_limit_bytes;
  LoopEvents loop_events;
  loop_events.on_hello = std::move(events.on_hello);
  loop_events.on_frame = std::move(events.on_frame);
  loop_events.on_gone = std::move(events.on_gone);
  loop_events.on_tick = std::move(events.on_tick);
  auto loop = open_server_loop(std::move(loop_options), std::move(loop_events), clock);
  if (!loop) return tl::unexpected(std::move(loop.error()));
  return std::make_unique<LoopControlServer>(std::move(*loop));
}

}  // namespace evener::data::transport
