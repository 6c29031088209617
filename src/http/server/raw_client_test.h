// A socket that sends and receives bytes exactly as a test says.
//
// Used by:  tests of this folder.
// Threads:  one thread sends, one may receive.
// Fails:    send() is false, answer() empty.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace evener::http {

class RawClient {
 public:
  static constexpr int kPatienceMillis = 10'000;

  explicit RawClient(int port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int one = 1;
    ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    connected_ = ::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~RawClient() { end(); }
  RawClient(RawClient&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), connected_(other.connected_),
        read_(std::move(other.read_)) {}
  RawClient& operator=(RawClient&&) = delete;

  bool connected() const { return connected_; }
  int fd() const { return fd_; }
  void end() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  void end_sending() { ::shutdown(fd_, SHUT_WR); }

  // False once the other side takes no more.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  // Head and body of the next answer; of an answer to HEAD only the head. What has come if the
  // connection ends before.
  std::string answer(std::string_view to = "GET") {
    while (read_.find("\r\n\r\n") == std::string::npos && receive()) {
    }
    const std::size_t head = read_.find("\r\n\r\n");
    if (head == std::string::npos) return std::exchange(read_, {});
    std::size_t size = head + 4;
    const std::size_t length = read_.find("Content-Length: ");
    if (length < head && to != "HEAD") size += std::stoul(read_.substr(length + 16));
    while (read_.size() < size && receive()) {
    }
    std::string text = read_.substr(0, size);
    read_.erase(0, text.size());
    return text;
  }

  // Everything up to the end of the connection.
  std::string rest() {
    while (receive()) {
    }
    return std::exchange(read_, {});
  }
  bool is_ended() { return rest().empty(); }

  // Whether something (or the end) comes within `millis`.
  bool hears_within(int millis) const {
    pollfd poll{.fd = fd_, .events = POLLIN, .revents = 0};
    return ::poll(&poll, 1, millis) > 0;
  }

 private:
  bool receive() {
    char bytes[16'384];
    if (!hears_within(kPatienceMillis)) return false;
    const auto count = ::recv(fd_, bytes, sizeof bytes, 0);
    if (count <= 0) return false;
    read_.append(bytes, static_cast<std::size_t>(count));
    return true;
  }

  int fd_;
  bool connected_ = false;
  std::string read_;
};

}  // namespace evener::http
