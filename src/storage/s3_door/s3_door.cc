#include "storage/s3_door/s3_door.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <thread>

#include "base/endpoint.h"
#include "storage/s3_door/relay.h"

namespace evener::storage {
namespace {

constexpr int kBacklog = 1'024;
constexpr std::size_t kMostConnections = 1'024;         // more wait in the backlog
constexpr std::chrono::milliseconds kLookForResting{10'000};
// Out of descriptors or memory, a new try to take a client waits so long.
constexpr std::chrono::milliseconds kRetryAfter{100};

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
  address.sin_port = ::htons(port);
  return address;
}

// Blocks in connect(2) alone, which on loopback is answered at once; a Relay never does.
os::UniqueFd tcp_socket(int flags) {
  return os::UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
}

void send_at_once(int fd) {
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

Result<os::UniqueFd> listen_on(std::uint16_t port) {
  os::UniqueFd fd = tcp_socket(SOCK_NONBLOCK);
  const sockaddr_in address = loopback(port);
  const int on = 1;
  if (!fd) return errno_failure(errno, "socket");
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(fd.get(), kBacklog) != 0) {
    const int error = errno;
    const std::string attempted = "listen on 127.0.0.1 port " + std::to_string(port);
    if (error == EADDRINUSE)
      return failure(ErrorCode::kUnavailable, attempted + ": another program has this port");
    return errno_failure(error, attempted);
  }
  return fd;
}

// Without a descriptor when nobody listens there.
os::UniqueFd connect_to(const std::string& endpoint) {
  const auto port = port_of(endpoint);
  if (!port) return {};
  os::UniqueFd fd = tcp_socket(0);
  const sockaddr_in address = loopback(*port);
  if (!fd ||
      ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return {};
  }
  send_at_once(fd.get());
  return fd;
}

class Door final : public S3Door {
 public:
  Door(S3DoorOptions options, const Clock& clock, os::UniqueFd listener, os::UniqueFd wake)
      : options_(std::move(options)),
        clock_(clock),
        verifier_(options_.keys),
        bodies_(options_.bodies_bytes),
        listener_(std::move(listener)),
        wake_(std::move(wake)),
        thread_([this](const std::stop_token& stop) { run(stop); }) {}

  ~Door() override {
    thread_.request_stop();
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(wake_.get(), &one, sizeof one);
    thread_.join();
  }
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;

  std::uint16_t port() const override {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    return ::ntohs(address.sin_port);
  }

 private:
  void run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      std::vector<pollfd> polled{{.fd = wake_.get(), .events = POLLIN, .revents = 0},
                                 {.fd = takes_clients() ? listener_.get() : -1,
                                  .events = POLLIN, .revents = 0}};
      for (const auto& relay : relays_) {
        polled.push_back(relay->client());
        polled.push_back(relay->server());
      }
      if (::poll(polled.data(), polled.size(), patience()) < 0 && errno != EINTR) return;
      move_relays(polled);
      if ((polled[1].revents & POLLIN) != 0) accept();
    }
  }

  bool takes_clients() const {
    return relays_.size() < kMostConnections && clock_.monotonic_now() >= takes_again_;
  }
  // How long to wait at most, in milliseconds; -1: for ever.
  int patience() const {
    if (clock_.monotonic_now() < takes_again_) return static_cast<int>(kRetryAfter.count());
    if (relays_.empty()) return -1;
    return static_cast<int>(std::min(kLookForResting, options_.idle_limit).count());
  }
  bool rests_too_long(const Relay& relay, MonotonicTime now) const {
    const auto limit = relay.awaits_answer() ? options_.answer_limit : options_.idle_limit;
    return now - relay.last_moved() > limit;
  }

  void move_relays(const std::vector<pollfd>& polled) {
    const MonotonicTime now = clock_.monotonic_now();
    std::size_t kept = 0;
    for (std::size_t i = 0; i < relays_.size(); ++i) {
      const bool goes_on = relays_[i]->move(polled[2 + 2 * i].revents, polled[3 + 2 * i].revents);
      if (!goes_on || rests_too_long(*relays_[i], now)) continue;
      if (kept != i) relays_[kept] = std::move(relays_[i]);
      ++kept;
    }
    relays_.resize(kept);
  }

  void accept() {
    os::UniqueFd client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!client && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM))
      takes_again_ = clock_.monotonic_now() + kRetryAfter;
    if (!client) return;
    send_at_once(client.get());
    relays_.push_back(std::make_unique<Relay>(
        std::move(client), connect_to(options_.server_endpoint()),
        RelayKeys{.keys = options_.keys, .verifier = verifier_, .clock = clock_,
                  .bodies = bodies_}));
  }

  S3DoorOptions options_;
  const Clock& clock_;
  http::Verifier verifier_;
  BodyBudget bodies_;                            // of thread_ alone, as what follows
  MonotonicTime takes_again_ = MonotonicTime::min();
  os::UniqueFd listener_;
  os::UniqueFd wake_;
  std::vector<std::unique_ptr<Relay>> relays_;
  std::jthread thread_;
};

}  // namespace

Result<std::unique_ptr<S3Door>> S3Door::open(S3DoorOptions options, const Clock& clock) {
  auto listener = listen_on(options.port);
  if (!listener) return tl::unexpected(std::move(listener.error()));
  os::UniqueFd wake(::eventfd(0, EFD_CLOEXEC));
  if (!wake) return errno_failure(errno, "eventfd");
  return std::make_unique<Door>(std::move(options), clock, std::move(*listener), std::move(wake));
}

}  // namespace evener::storage
