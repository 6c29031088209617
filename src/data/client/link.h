// One connection of the reader, from its first step to its end.
//
// Used by:  dispatcher_link.h, worker_stream.h.
// Threads:  the reader's.
// Fails:    kUnavailable when the peer is gone, the errors of frames and of the sink; then it is
//           to be closed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "data/transport/transport.h"

namespace evener::data::client {

class Link {
 public:
  // Begins to connect; `hello` goes first. `tls` may be null.
  Status start(const transport::Endpoint& endpoint, transport::TlsSide* tls, std::string hello,
               MonotonicTime now);
  // What epoll said: connects on, reads, writes.
  Status serve(std::uint32_t events, transport::FrameSink& sink, MonotonicTime now);
  void queue(std::string frame);
  Status flush();
  void close();

  bool started() const { return stream_ != nullptr; }
  bool connected() const { return stream_ != nullptr && !connecting_; }
  int fd() const { return stream_->fd(); }
  std::uint32_t wanted_events() const;
  const transport::Endpoint& endpoint() const { return endpoint_; }
  transport::FrameInput& input() { return input_; }
  transport::ByteStream& stream() { return *stream_; }
  MonotonicTime started_at() const { return started_at_; }
  MonotonicTime heard_at() const { return heard_at_; }
  std::uint32_t watched = 0;                // the loop's: events that epoll looks for

 private:
  transport::Endpoint endpoint_;
  std::unique_ptr<transport::ByteStream> stream_;
  transport::FrameInput input_{transport::InputOptions{}};
  transport::Outbox outbox_;
  bool connecting_ = false;
  MonotonicTime started_at_;
  MonotonicTime heard_at_;
};

}  // namespace evener::data::client
