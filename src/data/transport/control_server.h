// A server of control messages: the dispatcher's side of all its connections.
//
// Used by:  data/dispatcher; tests.
// Threads:  one thread of its own has all sockets and calls the events; an event returns soon. Peer
//           may be used from any thread.
// Fails:    open: kUnavailable for a taken address, kInvalidArgument. A peer that breaks the
//           protocol, shows no token, or reads too slowly (its queue is over the limit) is refused
//           or dropped, and on_gone tells why.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "data/transport/endpoint.h"
#include "data/transport/frame.h"

namespace evener::data::transport {

class Peer {
 public:
  virtual ~Peer() = default;
  virtual std::uint64_t number() const = 0;              // unique in its server, never used again
  virtual std::string address() const = 0;               // numeric, without a port; "unix" on one
  // Queues the frame; in order. Harmless once the peer is gone.
  virtual void send(std::string frame) = 0;
  // Sends a refusal, then closes.
  virtual void refuse(const Error& error) = 0;
  virtual void close() = 0;
};

struct ControlEvents {
  // A peer whose token is right; its hello. An error refuses it, and on_gone does not follow.
  std::function<Status(const std::shared_ptr<Peer>&, const FrameView&)> on_hello;
  // An error refuses the peer and closes.
  std::function<Status(const std::shared_ptr<Peer>&, const FrameView&)> on_frame;
  std::function<void(const std::shared_ptr<Peer>&, const Error& why)> on_gone;
  // Each `tick` of the options, for timers of the user.
  std::function<void()> on_tick = {};
};

struct ControlServerOptions {
  ListenOptions listen;
  std::chrono::milliseconds tick{200};
  std::uint64_t queue_limit_bytes = 64u << 20;           // unsent, of one peer
  // Of peers that have said hello; a peer that is silent so long is dropped.
  std::chrono::milliseconds silence_limit{3'000};
};

class ControlServer {
 public:
  virtual ~ControlServer() = default;                    // closes all; no event afterwards
  virtual std::uint16_t port() const = 0;                // 0 without TCP
  // Runs `call` on the server's thread, soon.
  virtual void post(std::function<void()> call) = 0;
};

Result<std::unique_ptr<ControlServer>> open_control_server(ControlServerOptions options,
                                                           ControlEvents events,
                                                           const Clock& clock);

}  // namespace evener::data::transport
