// The servers that http_server_bench.py loads: ours with a handler that answers an empty JSON
// object, and the floor, one thread that answers every packet with the same bytes unread.
// Prints the port, then serves until stdin ends.
//
//   http_server_bench evener THREADS | floor [BYTES]      of the body of the floor's answer
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "http/server/server.h"

namespace evener::http {
namespace {

constexpr std::size_t kEmptyObject = 2;

std::string answer_of(std::size_t body_bytes) {
  return "HTTP/1.1 200 OK\r\nContent-Type: application/x-amz-json-1.1\r\n"
         "Date: Mon, 30 Nov 2026 10:11:12 GMT\r\nContent-Length: " +
         std::to_string(body_bytes) + "\r\n\r\n" + std::string(body_bytes, ' ');
}

void wait_for_end_of_stdin() {
  char byte = 0;
  while (::read(STDIN_FILENO, &byte, 1) > 0) {
  }
}

int serve_evener(int threads) {
  const auto server = listen({.threads = threads}, [](const Request&, const Reply& reply) {
    reply({.headers = {{"Content-Type", "application/x-amz-json-1.1"}}, .body = "{}"});
  });
  if (!server) {
    std::fprintf(stderr, "%s\n", server.error().message.c_str());
    return 1;
  }
  std::printf("%d\n", (*server)->port());
  std::fflush(stdout);
  wait_for_end_of_stdin();
  return 0;
}

void watch(int epoll, int fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  ::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

void answer(int fd, std::string_view with) {
  char bytes[16'384];
  if (::recv(fd, bytes, sizeof bytes, 0) <= 0) {
    ::close(fd);
  } else if (::send(fd, with.data(), with.size(), MSG_NOSIGNAL) < 0) {
    ::close(fd);
  }
}

void take_all(int epoll, int listener) {
  const int one = 1;
  for (;;) {
    const int fd = ::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    watch(epoll, fd);
  }
}

int serve_floor(std::size_t body_bytes) {
  const std::string text = answer_of(body_bytes);
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::listen(listener, 4'096) != 0 ||
      ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    std::perror("listen");
    return 1;
  }
  const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
  watch(epoll, listener);
  watch(epoll, STDIN_FILENO);
  std::printf("%d\n", ntohs(address.sin_port));
  std::fflush(stdout);
  for (;;) {
    epoll_event events[256];
    const int count = ::epoll_wait(epoll, events, 256, -1);
    for (int at = 0; at < count; ++at) {
      const int fd = events[at].data.fd;
      if (fd == STDIN_FILENO) return 0;
      if (fd == listener) {
        take_all(epoll, listener);
      } else {
        answer(fd, text);
      }
    }
  }
}

}  // namespace
}  // namespace evener::http

int main(int argc, char** argv) {
  const std::string_view which = argc > 1 ? argv[1] : "";
  if (which == "floor") {
    return evener::http::serve_floor(argc > 2 ? std::strtoul(argv[2], nullptr, 10)
                                              : evener::http::kEmptyObject);
  }
  if (which == "evener" && argc > 2) return evener::http::serve_evener(std::atoi(argv[2]));
  std::fprintf(stderr, "http_server_bench evener THREADS | floor [BYTES]\n");
  return 2;
}
