#include "data/transport/listening.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>

namespace evener::data::transport {
namespace {

constexpr int kBacklog = 4'096;                          // the kernel's own limit may be lower
constexpr int kSocketKind = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;

struct SocketAddress {
  sockaddr_storage raw{};
  socklen_t size = 0;
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&raw); }
};

Result<SocketAddress> numeric_address(const std::string& address, std::uint16_t port) {
  SocketAddress result;
  auto* v4 = reinterpret_cast<sockaddr_in*>(&result.raw);
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&result.raw);
  if (::inet_pton(AF_INET, address.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(port);
    result.size = sizeof *v4;
  } else if (::inet_pton(AF_INET6, address.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(port);
    result.size = sizeof *v6;
  } else {
    return failure(ErrorCode::kInvalidArgument, "'" + address + "' is no IPv4 or IPv6 address");
  }
  return result;
}

SocketAddress abstract_address(const std::string& name) {
  SocketAddress result;
  auto* un = reinterpret_cast<sockaddr_un*>(&result.raw);
  un->sun_family = AF_UNIX;                              // the name follows a NUL
  std::memcpy(un->sun_path + 1, name.data(), name.size());
  result.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return result;
}

Result<SocketAddress> look_up(const Endpoint& endpoint) {
  if (auto numeric = numeric_address(endpoint.host, endpoint.port)) return numeric;
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int code = ::getaddrinfo(endpoint.host.c_str(), nullptr, &wanted, &found);
  if (code != 0)
    return failure(ErrorCode::kUnavailable, "host " + endpoint.host + ": " + ::gai_strerror(code));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
  std::array<char, INET6_ADDRSTRLEN> text{};
  ::getnameinfo(found->ai_addr, found->ai_addrlen, text.data(), text.size(), nullptr, 0,
                NI_NUMERICHOST);
  return numeric_address(text.data(), endpoint.port);
}

Result<os::UniqueFd> listen_on(SocketAddress address, const std::string& name) {
  os::UniqueFd fd(::socket(address.raw.ss_family, kSocketKind, 0));
  if (!fd) return errno_failure(errno, "socket");
  const int on = 1;
  if (address.raw.ss_family != AF_UNIX)
    ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(fd.get(), address.get(), address.size) != 0 || ::listen(fd.get(), kBacklog) != 0) {
    if (errno == EADDRINUSE)
      return failure(ErrorCode::kUnavailable, "listen on " + name + ": the address is taken");
    return errno_failure(errno, "listen on " + name);
  }
  return fd;
}

}  // namespace

bool is_loopback(const std::string& address) {
  in_addr v4{};
  if (::inet_pton(AF_INET, address.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  in6_addr v6{};
  return ::inet_pton(AF_INET6, address.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

Result<os::UniqueFd> listen_tcp(const std::string& address, std::uint16_t port) {
  auto raw = numeric_address(address, port);
  if (!raw) return tl::unexpected(std::move(raw.error()));
  return listen_on(*raw, address + " port " + std::to_string(port));
}

Result<os::UniqueFd> listen_abstract(const std::string& name) {
  if (name.size() > sizeof sockaddr_un{}.sun_path - 1)
    return failure(ErrorCode::kInvalidArgument, "unix socket " + name + ": name is too long");
  return listen_on(abstract_address(name), "unix:" + name);
}

Result<std::uint16_t> port_of(int socket) {
  SocketAddress address;
  address.size = sizeof address.raw;
  if (::getsockname(socket, address.get(), &address.size) != 0)
    return errno_failure(errno, "name of a socket");
  if (address.raw.ss_family == AF_INET)
    return ntohs(reinterpret_cast<const sockaddr_in*>(&address.raw)->sin_port);
  return ntohs(reinterpret_cast<const sockaddr_in6*>(&address.raw)->sin6_port);
}

std::string peer_address(int socket) {
  SocketAddress address;
  address.size = sizeof address.raw;
  if (::getpeername(socket, address.get(), &address.size) != 0) return "unknown";
  if (address.raw.ss_family == AF_UNIX) return "unix";
  std::array<char, INET6_ADDRSTRLEN> text{};
  ::getnameinfo(address.get(), address.size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST);
  return text.data();
}

bool peer_is_same_user(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         peer.uid == ::geteuid();
}

void prepare_tcp(int socket) {
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

void expect_no_congestion(int socket) {
  constexpr std::string_view kUnpaced = "reno";
  ::setsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, kUnpaced.data(), kUnpaced.size());
}

Result<os::UniqueFd> begin_connect(const Endpoint& endpoint) {
  const bool local = endpoint.kind == Endpoint::Kind::kUnix;
  auto address = local ? Result<SocketAddress>(abstract_address(endpoint.host)) : look_up(endpoint);
  if (!address) return tl::unexpected(std::move(address.error()));
  os::UniqueFd fd(::socket(address->raw.ss_family, kSocketKind, 0));
  if (!fd) return errno_failure(errno, "socket");
  if (!local) prepare_tcp(fd.get());
  if (!local && is_loopback(endpoint.host)) expect_no_congestion(fd.get());
  if (::connect(fd.get(), address->get(), address->size) != 0 && errno != EINPROGRESS)
    return failure(ErrorCode::kUnavailable,
                   errno_error(errno, "connect to " + to_string(endpoint)).message);
  if (local && !peer_is_same_user(fd.get()))
    return failure(ErrorCode::kPermissionDenied,
                   "connect to " + to_string(endpoint) + ": another user listens there");
  return fd;
}

Status connect_error(int socket, const Endpoint& endpoint) {
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
  if (error == 0) return ok();
  return failure(ErrorCode::kUnavailable,
                 errno_error(error, "connect to " + to_string(endpoint)).message);
}

}  // namespace evener::data::transport
