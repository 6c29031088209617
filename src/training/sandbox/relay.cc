#include "training/sandbox/relay.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <string>

namespace evener::sandbox {
namespace {

constexpr int kBacklog = 64;
constexpr int kMostEvents = 64;

struct Target {
  sockaddr_storage address{};
  socklen_t size = 0;
};

Result<Target> resolve(const HostService& service) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(service.target_port);
  const int code = ::getaddrinfo(service.target_host.c_str(), port.c_str(), &hints, &found);
  if (code != 0 || found == nullptr) {
    return failure(ErrorCode::kNotFound, "host service " + service.target_host + ": " +
                                             ::gai_strerror(code));
  }
  Target target;
  target.size = found->ai_addrlen;
  std::memcpy(&target.address, found->ai_addr, found->ai_addrlen);
  ::freeaddrinfo(found);
  return target;
}

Status listen_on(int socket, os::Ipv4 address, std::uint16_t port) {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(address.value);
  at.sin_port = htons(port);
  if (::bind(socket, reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0 ||
      ::listen(socket, kBacklog) != 0) {
    return errno_failure(errno, "listen for jobs on port " + std::to_string(port));
  }
  return ok();
}

// One direction of a connection.
struct Flow {
  int from = -1;
  int to = -1;
  std::string buffer;
  bool ended = false;    // no more comes
  bool passed_on = false;   // and the other side knows

  // Moves what can be moved now; false if the connection is broken.
  bool pump() {
    std::array<char, kRelayBufferBytes> chunk;
    while (true) {
      if (!write_out()) return false;
      if (!buffer.empty() || ended) break;
      const ssize_t size = ::recv(from, chunk.data(), chunk.size(), 0);
      if (size < 0 && errno == EINTR) continue;
      if (size < 0) return errno == EAGAIN;
      if (size == 0) ended = true;
      buffer.append(chunk.data(), static_cast<std::size_t>(size));
    }
    if (ended && buffer.empty() && !passed_on) {
      ::shutdown(to, SHUT_WR);
      passed_on = true;
    }
    return true;
  }

  bool write_out() {
    while (!buffer.empty()) {
      const ssize_t size = ::send(to, buffer.data(), buffer.size(), MSG_NOSIGNAL);
      if (size < 0 && errno == EINTR) continue;
      if (size < 0) return errno == EAGAIN;
      buffer.erase(0, static_cast<std::size_t>(size));
    }
    return true;
  }
};

struct Connection {
  os::UniqueFd inside;
  os::UniqueFd outside;
  bool connecting = true;
  Flow out;    // from the job to the service
  Flow back;
};

class RelayLoop {
 public:
  RelayLoop(std::vector<os::UniqueFd> listeners, std::vector<Target> targets, int stop)
      : listeners_(std::move(listeners)), targets_(std::move(targets)), stop_(stop) {
    poll_.reset(::epoll_create1(EPOLL_CLOEXEC));
    watch(EPOLL_CTL_ADD, stop_, EPOLLIN);
    for (const os::UniqueFd& listener : listeners_) watch(EPOLL_CTL_ADD, listener.get(), EPOLLIN);
  }

  void run(const std::stop_token& stop) {
    std::array<epoll_event, kMostEvents> events{};
    while (!stop.stop_requested()) {
      const int count = ::epoll_wait(poll_.get(), events.data(), kMostEvents, -1);
      if (count < 0 && errno != EINTR) return;
      for (int i = 0; i < count; ++i) handle(events.at(static_cast<std::size_t>(i)));
    }
  }

 private:
  void watch(int operation, int fd, std::uint32_t wanted) {
    epoll_event event{};
    event.events = wanted;
    event.data.fd = fd;
    ::epoll_ctl(poll_.get(), operation, fd, &event);
  }

  void handle(const epoll_event& event) {
    for (std::size_t i = 0; i < listeners_.size(); ++i) {
      if (listeners_[i].get() == event.data.fd) return accept_from(i);
    }
    // Closed by an earlier event of the same batch, if it is not there.
    const auto found = by_descriptor_.find(event.data.fd);
    if (found != by_descriptor_.end()) advance(*found->second);
  }

  void accept_from(std::size_t index) {
    const int listener = listeners_[index].get();
    os::UniqueFd inside(::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!inside) return;
    const Target& target = targets_[index];
    os::UniqueFd outside(
        ::socket(target.address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!outside) return;
    const int code = ::connect(
        outside.get(), reinterpret_cast<const sockaddr*>(&target.address), target.size);
    if (code != 0 && errno != EINPROGRESS) return;
    auto connection = std::make_shared<Connection>();
    connection->out = {inside.get(), outside.get(), {}, false, false};
    connection->back = {outside.get(), inside.get(), {}, false, false};
    watch(EPOLL_CTL_ADD, inside.get(), 0);
    watch(EPOLL_CTL_ADD, outside.get(), EPOLLOUT);
    by_descriptor_[inside.get()] = connection;
    by_descriptor_[outside.get()] = connection;
    connection->inside = std::move(inside);
    connection->outside = std::move(outside);
    if (by_descriptor_.size() / 2 == kMostRelayedConnections) accept_more(0);
  }

  void advance(Connection& connection) {
    if (connection.connecting) {
      int error = 0;
      socklen_t size = sizeof error;
      ::getsockopt(connection.outside.get(), SOL_SOCKET, SO_ERROR, &error, &size);
      if (error != 0) return close(connection);
      connection.connecting = false;
    }
    if (!connection.out.pump() || !connection.back.pump() ||
        (connection.out.passed_on && connection.back.passed_on)) {
      return close(connection);
    }
    watch(EPOLL_CTL_MOD, connection.inside.get(), wanted(connection.out, connection.back));
    watch(EPOLL_CTL_MOD, connection.outside.get(), wanted(connection.back, connection.out));
  }

  // For the descriptor that `reading` reads from and `writing` writes to.
  static std::uint32_t wanted(const Flow& reading, const Flow& writing) {
    std::uint32_t events = 0;
    if (!reading.ended && reading.buffer.empty()) events |= EPOLLIN;
    if (!writing.buffer.empty()) events |= EPOLLOUT;
    return events;
  }

  void close(Connection& connection) {
    const int outside = connection.outside.get();
    const std::shared_ptr<Connection> last = by_descriptor_[connection.inside.get()];
    by_descriptor_.erase(last->inside.get());
    by_descriptor_.erase(outside);
    if (by_descriptor_.size() / 2 == kMostRelayedConnections - 1) accept_more(EPOLLIN);
  }

  void accept_more(std::uint32_t events) {
    for (const os::UniqueFd& listener : listeners_) watch(EPOLL_CTL_MOD, listener.get(), events);
  }

  std::vector<os::UniqueFd> listeners_;
  std::vector<Target> targets_;
  int stop_;
  os::UniqueFd poll_;
  std::map<int, std::shared_ptr<Connection>> by_descriptor_;
};

}  // namespace

Result<std::unique_ptr<HostRelay>> HostRelay::start(std::vector<os::UniqueFd> sockets,
                                                    const std::vector<HostService>& services,
                                                    os::Ipv4 address) {
  std::vector<Target> targets;
  for (std::size_t i = 0; i < services.size(); ++i) {
    Result<Target> target = resolve(services[i]);
    if (!target) return tl::unexpected<Error>(target.error());
    targets.push_back(*target);
    RETURN_IF_ERROR(listen_on(sockets.at(i).get(), address, services[i].port));
  }
  std::unique_ptr<HostRelay> relay(new HostRelay());
  relay->stop_.reset(::eventfd(0, EFD_CLOEXEC));
  if (!relay->stop_) return errno_failure(errno, "eventfd");
  relay->thread_ = std::jthread(
      [loop = std::make_shared<RelayLoop>(std::move(sockets), std::move(targets),
                                          relay->stop_.get())](const std::stop_token& stop) {
        loop->run(stop);
      });
  return relay;
}

HostRelay::~HostRelay() {
  thread_.request_stop();
  const std::uint64_t one = 1;
  (void)!::write(stop_.get(), &one, sizeof one);
  if (thread_.joinable()) thread_.join();
}

}  // namespace evener::sandbox
