// A server that sends and receives bytes exactly as a test says.
//
// Used by:  tests of this folder.
// Threads:  one of its own runs the connections one after the other.
// Fails:    fails the test.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "http/client/client.h"

namespace evener::http {

// The server's end of one connection; closed by the destructor.
class RawPeer {
 public:
  static constexpr int kPatienceMillis = 10'000;

  explicit RawPeer(int fd) : fd_(fd) {}
  ~RawPeer() {
    if (fd_ >= 0) ::close(fd_);
  }
  RawPeer(const RawPeer&) = delete;
  RawPeer& operator=(const RawPeer&) = delete;

  int fd() const { return fd_; }

  // The next request's headers, to the empty line; "" when the connection ends.
  std::string head() {
    std::size_t end = 0;
    while ((end = read_.find("\r\n\r\n")) == std::string::npos)
      if (!receive()) return "";
    return take(end + 4);
  }
  std::string body(std::size_t size) {
    while (read_.size() < size && receive()) {
    }
    return take(std::min(size, read_.size()));
  }
  // False once the other side takes no more.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  // Ends the connection with RST.
  void reset() {
    const linger now{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    ::close(std::exchange(fd_, -1));
  }
  // Says nothing until the other side has gone.
  void wait_for_end() {
    while (receive()) {
    }
  }
  bool has_come() const { return !read_.empty() || hears_within(0); }

 private:
  bool hears_within(int millis) const {
    pollfd poll{.fd = fd_, .events = POLLIN, .revents = 0};
    return ::poll(&poll, 1, millis) > 0;
  }
  bool receive() {
    char bytes[16'384];
    if (!hears_within(kPatienceMillis)) return false;
    const auto count = ::recv(fd_, bytes, sizeof bytes, 0);
    if (count <= 0) return false;
    read_.append(bytes, static_cast<std::size_t>(count));
    return true;
  }
  std::string take(std::size_t size) {
    std::string taken = read_.substr(0, size);
    read_.erase(0, size);
    return taken;
  }

  int fd_;
  std::string read_;
};

using Conversation = std::function<void(RawPeer&)>;

class RawServer {
 public:
  // One conversation for each connection, in their order; there are no more.
  explicit RawServer(std::vector<Conversation> conversations)
      : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(listener_, 16), 0);
    EXPECT_EQ(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this, all = std::move(conversations)] {
      // Only of this thread: what the client does on a broken connection is for it to show.
      sigset_t pipe;
      ::sigemptyset(&pipe);
      ::sigaddset(&pipe, SIGPIPE);
      ::pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
      for (const Conversation& one : all) {
        const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (fd < 0) return;
        RawPeer peer(fd);
        one(peer);
      }
    });
  }
  ~RawServer() {
    ::shutdown(listener_, SHUT_RDWR);
    finish();
    ::close(listener_);
  }
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;

  int port() const { return port_; }
  std::string origin() const { return "http://127.0.0.1:" + std::to_string(port_); }
  // Until every conversation is over.
  void finish() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  int listener_;
  int port_ = 0;
  std::jthread thread_;
};

// Hears one request and says `bytes`.
inline Conversation says(std::string bytes) {
  return [bytes = std::move(bytes)](RawPeer& peer) {
    peer.head();
    peer.send(bytes);
  };
}

inline Exchange get_from(const std::string& origin, const std::string& path = "/x") {
  Exchange exchange;
  exchange.origin = origin;
  exchange.request = {.method = "GET", .path = path};
  return exchange;
}

inline Exchange put_to(const std::string& origin, std::string body) {
  Exchange exchange;
  exchange.origin = origin;
  exchange.request = {.method = "PUT", .path = "/x", .body = std::move(body)};
  return exchange;
}

}  // namespace evener::http
