// A server and a client for the two sides of a door, each of one connection.
//
// Used by:  s3_door_test.
// Threads:  one test thread each; a OneServer has one of its own.
// Fails:    by gtest expectations.
#pragma once

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <string>
#include <string_view>
#include <thread>

#include "os/unique_fd.h"
#include "storage/s3_door/request_head.h"

namespace evener::storage {

inline constexpr std::string_view kAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

inline sockaddr_in loopback_address(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

// Takes one connection, reads as many bytes as are awaited, answers once, closes.
class OneServer {
 public:
  explicit OneServer(std::size_t awaited)
      : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = loopback_address(0);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(listener_.get(), 1), 0);
    ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this, awaited] { serve(awaited); });
  }
  std::string endpoint() const { return "http://127.0.0.1:" + std::to_string(port_); }
  std::string got() {
    thread_.join();
    return got_;
  }

 private:
  void serve(std::size_t awaited) {
    const os::UniqueFd client(::accept(listener_.get(), nullptr, nullptr));
    char bytes[65536];
    ssize_t some = 1;
    // With nothing awaited: a head and the body that it names.
    while (some > 0 && (awaited > 0 ? got_.size() < awaited : !is_whole())) {
      some = ::recv(client.get(), bytes, sizeof bytes, 0);
      if (some > 0) got_.append(bytes, static_cast<std::size_t>(some));
    }
    (void)::send(client.get(), kAnswer.data(), kAnswer.size(), MSG_NOSIGNAL);
  }
  bool is_whole() const {
    const auto end = got_.find("\r\n\r\n");
    if (end == std::string::npos) return false;
    const auto head = read_head(std::string_view(got_).substr(0, end + 4));
    return head && got_.size() - end - 4 >= head->length;
  }

  os::UniqueFd listener_;
  std::uint16_t port_ = 0;
  std::string got_;
  std::jthread thread_;
};

class OneClient {
 public:
  explicit OneClient(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const sockaddr_in address = loopback_address(port);
    EXPECT_EQ(::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  // As many bytes as are awaited, or all until the end.
  std::string receive(std::size_t awaited) {
    std::string got(awaited, '\0');
    const auto size = ::recv(fd_.get(), got.data(), awaited, MSG_WAITALL);
    got.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
    return got;
  }

 private:
  os::UniqueFd fd_;
};

}  // namespace evener::storage
