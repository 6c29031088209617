// A peer that sends any bytes, right or wrong, and sees what comes back.
//
// Used by:  tests of servers and readers.
// Threads:  one at a time.
// Fails:    as CHECK.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <optional>
#include <string>

#include "base/check.h"
#include "data/transport/frame.h"
#include "data/transport/listening.h"
#include "data/transport/messages.h"
#include "os/poll.h"

namespace evener::data::transport {

class RawPeer {
 public:
  explicit RawPeer(const Endpoint& endpoint) {
    auto socket = begin_connect(endpoint);
    CHECK(socket.has_value(), "a server listens there");
    socket_ = std::move(*socket);
    CHECK(os::wait_ready(socket_.get(), POLLOUT, kLimit).value_or(false), "it takes connections");
  }
  explicit RawPeer(std::uint16_t port) : RawPeer(Endpoint{"127.0.0.1", port}) {}
  explicit RawPeer(os::UniqueFd socket) : socket_(std::move(socket)) {}

  // False once the other side has closed.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno != EAGAIN) return false;
      if (sent < 0) static_cast<void>(os::wait_ready(socket_.get(), POLLOUT, kLimit));
      else bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void finish_sending() { ::shutdown(socket_.get(), SHUT_WR); }
  int fd() const { return socket_.get(); }

  // The next frame; nothing at the end of the connection.
  struct Received {
    FrameHeader header;
    std::string body;
    FrameView view() const { return {header, std::as_bytes(std::span(body))}; }
  };
  std::optional<Received> receive() {
    if (!fill(kHeaderBytes)) return std::nullopt;
    auto header = decode(std::as_bytes(std::span(buffer_)).first<kHeaderBytes>(), kMaxBodyBytes);
    CHECK(header.has_value(), "a server sends whole headers");
    const std::size_t body = wire_body_bytes(*header);
    if (!fill(kHeaderBytes + body)) return std::nullopt;
    const std::size_t used = body == 0 ? std::uint64_t{0} : header->body_bytes;
    Received received{*header, buffer_.substr(kHeaderBytes, used)};
    buffer_.erase(0, kHeaderBytes + body);
    return received;
  }
  // The refusal, or "" at an end without one.
  std::string refusal() {
    while (auto received = receive())
      if (received->header.kind == FrameKind::kRefuse)
        return read_refusal(received->view()).value_or(Refusal{}).message;
    return "";
  }

 private:
  static constexpr std::chrono::milliseconds kLimit{10'000};

  bool fill(std::size_t bytes) {
    while (buffer_.size() < bytes) {
      char part[4096];
      if (!os::wait_ready(socket_.get(), POLLIN, kLimit).value_or(false)) return false;
      const ssize_t got = ::recv(socket_.get(), part, sizeof part, 0);
      if (got <= 0) return false;
      buffer_.append(part, static_cast<std::size_t>(got));
    }
    return true;
  }

  os::UniqueFd socket_;
  std::string buffer_;
};

}  // namespace evener::data::transport
