#include "data/client/link.h"

#include <sys/epoll.h>

#include <utility>

namespace evener::data::client {

using transport::Endpoint;

Status Link::start(const Endpoint& endpoint, transport::TlsSide* tls, std::string hello,
                   MonotonicTime now) {
  close();
  endpoint_ = endpoint;
  auto socket = transport::begin_connect(endpoint);
  if (!socket) return tl::unexpected(std::move(socket.error()));
  const bool local = endpoint.kind == Endpoint::Kind::kUnix;
  if (tls != nullptr && !local) {
    auto wrapped = tls->wrap(std::move(*socket), endpoint.host);
    if (!wrapped) return tl::unexpected(std::move(wrapped.error()));
    stream_ = std::move(*wrapped);
  } else {
    stream_ = transport::make_plain_stream(
        std::move(*socket),
        local ? transport::Descriptors::kTaken : transport::Descriptors::kRefused);
  }
  input_ = transport::FrameInput({.body_limit = transport::kMaxControlBytes});
  connecting_ = true;
  started_at_ = heard_at_ = now;
  queue(std::move(hello));
  return ok();
}

Status Link::serve(std::uint32_t events, transport::FrameSink& sink, MonotonicTime now) {
  if (connecting_) {
    RETURN_IF_ERROR(transport::connect_error(fd(), endpoint_));
    if ((events & EPOLLOUT) == 0) return ok();
    connecting_ = false;
  }
  if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0 || stream_->wants_to_write()) {
    heard_at_ = now;
    RETURN_IF_ERROR(input_.read(*stream_, sink));
  }
  return flush();
}

void Link::queue(std::string frame) {
  transport::OutFrame out;
  out.text = std::move(frame);
  outbox_.add(std::move(out));
}

Status Link::flush() { return connecting_ ? ok() : outbox_.flush(*stream_); }

void Link::close() {
  stream_.reset();
  outbox_.clear();
  connecting_ = false;
  watched = 0;
}

std::uint32_t Link::wanted_events() const {
  const bool write = connecting_ || stream_->wants_to_write() ||
                     (!outbox_.empty() && !stream_->write_waits_for_peer());
  return write ? EPOLLIN | EPOLLOUT : EPOLLIN;
}

}  // namespace evener::data::client
