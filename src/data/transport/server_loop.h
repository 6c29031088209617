// Listeners, connections and handshakes of a server, on one thread.
//
// Used by:  control_server.cc, data_server.cc.
// Threads:  one of its own calls the events; post() from any thread.
// Fails:    open: kUnavailable for a taken address, kInvalidArgument.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/clock.h"
#include "base/result.h"
#include "data/transport/connection.h"
#include "data/transport/endpoint.h"

namespace evener::data::transport {

using ConnectionPointer = std::shared_ptr<Connection>;

struct LoopEvents {
  // A peer whose token is right. An error refuses it; on_gone does not follow.
  std::function<Status(const ConnectionPointer&, const FrameView&)> on_hello;
  std::function<Status(const ConnectionPointer&, const FrameView&)> on_frame;
  std::function<void(const ConnectionPointer&, const Error&)> on_gone;
  std::function<void(const ConnectionPointer&)> on_written = {};  // some bytes of slabs
  std::function<void()> on_tick = {};
};

struct LoopOptions {
  ListenOptions listen;
  std::chrono::milliseconds tick{200};
  std::chrono::milliseconds hello_limit{5'000};
  std::chrono::milliseconds closing_limit{1'000};        // for a peer to take its refusal
  std::chrono::milliseconds silence_limit{3'000};
  std::uint64_t queue_limit_bytes = 64u << 20;
};

class ServerLoop {
 public:
  virtual ~ServerLoop() = default;                       // closes all; no event afterwards
  virtual std::uint16_t port() const = 0;
  virtual void post(std::function<void()> call) = 0;
};

Result<std::unique_ptr<ServerLoop>> open_server_loop(LoopOptions options, LoopEvents events,
                                                     const Clock& clock);

}  // namespace evener::data::transport
