#include "data/transport/control_client.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <utility>

#include "base/clock.h"
#include "base/mutex.h"
#include "data/transport/byte_stream.h"
#include "data/transport/frame_input.h"
#include "data/transport/listening.h"
#include "data/transport/messages.h"
#include "data/transport/outbox.h"
#include "os/poll.h"

namespace evener::data::transport {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kSendLimit{10'000};

class SocketClient final : public ControlClient, private FrameSink {
 public:
  SocketClient(std::unique_ptr<ByteStream> stream, std::unique_ptr<TlsSide> tls)
      : tls_(std::move(tls)), stream_(std::move(stream)) {}

  Status send(std::string frame) override {
    OutFrame out;
    out.text = std::move(frame);
    const MutexLock sending(send_mutex_);
    outbox_.add(std::move(out));
    while (true) {
      short wanted = POLLOUT;
      {
        const MutexLock lock(stream_mutex_);
        RETURN_IF_ERROR(outbox_.flush(*stream_));
        if (stream_->write_waits_for_peer()) wanted = POLLIN;
      }
      if (outbox_.empty()) return ok();
      auto ready = os::wait_ready(stream_->fd(), wanted, kSendLimit);
      if (!ready) return tl::unexpected(std::move(ready.error()));
      if (!*ready) return failure(ErrorCode::kTimedOut, "peer takes no bytes");
    }
  }

  Result<std::optional<Frame>> receive(milliseconds timeout) override {
    const SystemClock clock;
    const MonotonicTime deadline = clock.monotonic_now() + timeout;
    while (true) {
      if (auto frame = pop()) return frame;
      if (auto read = read_now(); !read) return tl::unexpected(std::move(read.error()));
      if (auto frame = pop()) return frame;
      // A part of a frame, or what TLS says to itself, is not what the caller waits for.
      const auto left = std::chrono::ceil<milliseconds>(deadline - clock.monotonic_now());
      auto ready = os::wait_ready(stream_->fd(), POLLIN, std::max(left, milliseconds(0)));
      if (!ready) return tl::unexpected(std::move(ready.error()));
      if (!*ready) return std::optional<Frame>();
    }
  }

  void shut_down() override {
    shut_down_ = true;
    ::shutdown(stream_->fd(), SHUT_RDWR);
  }

 private:
  std::optional<Frame> pop() {
    if (frames_.empty()) return std::nullopt;
    std::optional<Frame> frame(std::move(frames_.front()));
    frames_.pop_front();
    return frame;
  }

  Status read_now() {
    const MutexLock lock(stream_mutex_);
    auto read = input_.read(*stream_, *this);
    if (shut_down_) return failure(ErrorCode::kCancelled, "connection was shut down");
    if (!read && !frames_.empty()) return ok();          // first what came before the end
    return read;
  }

  Status on_frame(const FrameView& frame) override {
    if (frame.header.kind == FrameKind::kRefuse) {
      auto refusal = read_refusal(frame);
      if (!refusal) return tl::unexpected(std::move(refusal.error()));
      return failure(refusal->code, refusal->message);
    }
    const auto* text = reinterpret_cast<const char*>(frame.body.data());
    frames_.push_back({frame.header, std::string(text, frame.body.size())});
    return ok();
  }

  const std::unique_ptr<TlsSide> tls_;
  std::unique_ptr<ByteStream> stream_;
  Mutex send_mutex_;
  Outbox outbox_ GUARDED_BY(send_mutex_);
  Mutex stream_mutex_;                   // TLS reads and writes share a state
  FrameInput input_{InputOptions{.body_limit = kMaxControlBytes}};
  std::deque<Frame> frames_;
  std::atomic<bool> shut_down_{false};
};

Status wait_connected(int socket, const Endpoint& endpoint, milliseconds timeout) {
  auto ready = os::wait_ready(socket, POLLOUT, timeout);
  if (!ready) return tl::unexpected(std::move(ready.error()));
  if (!*ready) return failure(ErrorCode::kTimedOut, "connect to " + to_string(endpoint));
  return connect_error(socket, endpoint);
}

}  // namespace

Result<std::unique_ptr<ControlClient>> connect_control(const ConnectOptions& options,
                                                       std::string hello, milliseconds timeout) {
  auto socket = begin_connect(options.endpoint);
  if (!socket) return tl::unexpected(std::move(socket.error()));
  RETURN_IF_ERROR(wait_connected(socket->get(), options.endpoint, timeout));
  std::unique_ptr<TlsSide> tls;
  std::unique_ptr<ByteStream> stream;
  if (!options.tls_authority.empty() && options.endpoint.kind == Endpoint::Kind::kTcp) {
    auto side = make_tls_client(options.tls_authority);
    if (!side) return tl::unexpected(std::move(side.error()));
    auto wrapped = (*side)->wrap(std::move(*socket), options.endpoint.host);
    if (!wrapped) return tl::unexpected(std::move(wrapped.error()));
    tls = std::move(*side);
    stream = std::move(*wrapped);
  } else {
    stream = make_plain_stream(std::move(*socket), Descriptors::kRefused);
  }
  auto client = std::make_unique<SocketClient>(std::move(stream), std::move(tls));
  RETURN_IF_ERROR(client->send(std::move(hello)));
  return std::unique_ptr<ControlClient>(std::move(client));
}

}  // namespace evener::data::transport
