// The other end of a control connection: a worker's to its dispatcher.
//
// Used by:  data/worker; tests.
// Threads:  send() from any thread; receive() from one.
// Fails:    kUnavailable when the peer is gone, the code of a refusal, kTimedOut.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/transport/endpoint.h"
#include "data/transport/frame.h"

namespace evener::data::transport {

// A control frame with its own memory.
struct Frame {
  FrameHeader header;
  std::string body;
  FrameView view() const {
    return {header, std::as_bytes(std::span(body.data(), body.size()))};
  }
};

class ControlClient {
 public:
  virtual ~ControlClient() = default;
  // Waits while the peer is slow, at most 10 s.
  virtual Status send(std::string frame) = 0;
  // Nothing if no frame came within `timeout`. A refusal is its error.
  virtual Result<std::optional<Frame>> receive(std::chrono::milliseconds timeout) = 0;
  // Any thread; receive() then fails with kCancelled.
  virtual void shut_down() = 0;
};

// Connects and sends `hello`; the first frame that is received is the welcome.
Result<std::unique_ptr<ControlClient>> connect_control(const ConnectOptions& options,
                                                       std::string hello,
                                                       std::chrono::milliseconds timeout);

}  // namespace evener::data::transport
