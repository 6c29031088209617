#include "data/transport/server_loop.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <deque>
#include <stop_token>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "data/transport/listening.h"
#include "data/transport/loopback_peer.h"
#include "data/transport/messages.h"
#include "data/transport/token.h"

namespace evener::data::transport {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kEventsPerCall = 64;
constexpr int kAcceptsPerTurn = 64;
constexpr milliseconds kAcceptPause{100};                // after the last descriptor is taken
constexpr std::uint64_t kMaxDrainedBytes = 1u << 20;     // that a refused peer still sends

// What epoll gives back; connections count from kFirstConnection.
enum Watched : std::uint64_t { kWakeUp = 0, kTcpListener = 1, kUnixListener = 2, kFirstConnection };

class EpollLoop final : public ServerLoop {
 public:
  EpollLoop(LoopOptions options, LoopEvents events, const Clock& clock)
      : options_(std::move(options)), events_(std::move(events)), clock_(clock) {}
  ~EpollLoop() override {
    thread_.request_stop();
    if (wake_ != nullptr) wake_->wake(kWakeUp);
    if (thread_.joinable()) thread_.join();
    if (wake_ != nullptr) wake_->close();
    for (auto& [number, connection] : connections_) connection->release();
  }

  Status open();
  std::uint16_t port() const override { return port_; }
  void post(std::function<void()> call) override {
    {
      const MutexLock lock(mutex_);
      calls_.push_back(std::move(call));
    }
    wake_->wake(kWakeUp);
  }

 private:
  class Sink final : public FrameSink {
   public:
    Sink(EpollLoop& loop, ConnectionPointer connection)
        : loop_(loop), connection_(std::move(connection)) {}
    Status on_frame(const FrameView& frame) override { return loop_.take(connection_, frame); }

   private:
    EpollLoop& loop_;
    ConnectionPointer connection_;
  };

  void run(const std::stop_token& stop);
  void serve_event(const epoll_event& event);
  void serve_posted();
  void serve(const ConnectionPointer& connection, std::uint32_t ready);
  Status take(const ConnectionPointer& connection, const FrameView& frame);
  Status greet(const ConnectionPointer& connection, const FrameView& frame);
  void write(const ConnectionPointer& connection);
  Status drain(Connection& connection);
  void watch(Connection& connection);
  void drop(const ConnectionPointer& connection, const Error& why);
  void refuse(const ConnectionPointer& connection, const Error& why);
  void tick();
  void accept_from(int listener, Medium medium);
  bool accept_one(int listener, Medium medium);
  void limit_unknown();
  Status watch_listener(int listener, Watched tag, int operation);
  void pause_listeners();
  void resume_listeners();

  const LoopOptions options_;
  const LoopEvents events_;
  const Clock& clock_;
  std::unique_ptr<TlsSide> tls_;
  os::UniqueFd epoll_;
  std::shared_ptr<WakeQueue> wake_;
  os::UniqueFd tcp_;
  os::UniqueFd unix_;
  std::uint16_t port_ = 0;

  Mutex mutex_;
  std::vector<std::function<void()>> calls_ GUARDED_BY(mutex_);

  std::unordered_map<std::uint64_t, ConnectionPointer> connections_;
  std::deque<std::uint64_t> unknown_;                    // oldest first; those that are no longer, too
  std::size_t unknown_count_ = 0;
  std::uint64_t next_number_ = kFirstConnection;
  MonotonicTime next_tick_;
  MonotonicTime accept_again_;
  bool paused_ = false;
  std::jthread thread_;                                  // last: ends first
};

Status EpollLoop::open() {
  const ListenOptions& listen = options_.listen;
  if (listen.tls) {
    auto tls = make_tls_server(*listen.tls);
    if (!tls) return tl::unexpected(std::move(tls.error()));
    tls_ = std::move(*tls);
  }
  if (!listen.address.empty() && listen.token.empty() && !is_loopback(listen.address))
    return failure(ErrorCode::kInvalidArgument,
                   "listen on " + listen.address + ": other machines reach it, so give a token");
  epoll_.reset(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll_) return errno_failure(errno, "epoll");
  auto wake = WakeQueue::open();
  if (!wake) return tl::unexpected(std::move(wake.error()));
  wake_ = std::move(*wake);
  RETURN_IF_ERROR(watch_listener(wake_->fd(), kWakeUp, EPOLL_CTL_ADD));
  if (!listen.address.empty()) {
    auto tcp = listen_tcp(listen.address, listen.port);
    if (!tcp) return tl::unexpected(std::move(tcp.error()));
    auto port = port_of(tcp->get());
    if (!port) return tl::unexpected(std::move(port.error()));
    port_ = *port;
    tcp_ = std::move(*tcp);
    RETURN_IF_ERROR(watch_listener(tcp_.get(), kTcpListener, EPOLL_CTL_ADD));
  }
  if (!listen.local.empty()) {
    auto local = listen_abstract(listen.local);
    if (!local) return tl::unexpected(std::move(local.error()));
    unix_ = std::move(*local);
    RETURN_IF_ERROR(watch_listener(unix_.get(), kUnixListener, EPOLL_CTL_ADD));
  }
  next_tick_ = clock_.monotonic_now() + options_.tick;
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  return ok();
}

void EpollLoop::run(const std::stop_token& stop) {
  std::array<epoll_event, kEventsPerCall> ready;
  while (!stop.stop_requested()) {
    const auto left = std::chrono::ceil<milliseconds>(next_tick_ - clock_.monotonic_now());
    const int wait = static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
    const int count = ::epoll_wait(epoll_.get(), ready.data(), kEventsPerCall, wait);
    for (int i = 0; i < count && !stop.stop_requested(); ++i)
      serve_event(ready[static_cast<std::size_t>(i)]);
    if (clock_.monotonic_now() >= next_tick_) tick();
  }
}

void EpollLoop::serve_event(const epoll_event& event) {
  if (event.data.u64 == kWakeUp) return serve_posted();
  if (event.data.u64 == kTcpListener) return accept_from(tcp_.get(), Medium::kTcp);
  if (event.data.u64 == kUnixListener) return accept_from(unix_.get(), Medium::kUnix);
  const auto found = connections_.find(event.data.u64);
  if (found == connections_.end()) return;
  const ConnectionPointer held = found->second;          // it may be dropped meanwhile
  serve(held, event.events);
}

void EpollLoop::serve_posted() {
  const std::vector<std::uint64_t> woken = wake_->take();
  std::vector<std::function<void()>> calls;
  {
    const MutexLock lock(mutex_);
    calls.swap(calls_);
  }
  for (const auto& call : calls) call();
  for (const std::uint64_t number : woken) {
    const auto found = connections_.find(number);
    if (found == connections_.end()) continue;
    const ConnectionPointer held = found->second;
    write(held);
  }
}

void EpollLoop::serve(const ConnectionPointer& connection, std::uint32_t ready) {
  const MonotonicTime now = clock_.monotonic_now();
  if (connection->stage() == Connection::Stage::kClosing) {
    if (auto drained = drain(*connection); !drained) return drop(connection, drained.error());
  } else if ((ready & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0 || connection->wants_to_write()) {
    Sink sink(*this, connection);
    if (auto read = connection->read(sink, now); !read) {
      // What was wrong with its bytes is told to the peer; an end or a broken socket is not.
      if (read.error().code == ErrorCode::kUnavailable) return drop(connection, read.error());
      refuse(connection, read.error());
    }
  }
  write(connection);
}

Status EpollLoop::take(const ConnectionPointer& connection, const FrameView& frame) {
  switch (connection->stage()) {
    case Connection::Stage::kUnknown: return greet(connection, frame);
    case Connection::Stage::kKnown:
      if (frame.header.kind == FrameKind::kPing) return ok();
      return events_.on_frame(connection, frame);
    case Connection::Stage::kClosing: return ok();
  }
  return ok();
}

Status EpollLoop::greet(const ConnectionPointer& connection, const FrameView& frame) {
  auto start = read_hello_start(frame);
  if (!start) return tl::unexpected(std::move(start.error()));
  const ListenOptions& listen = options_.listen;
  const bool shown = !listen.token.empty() && same_token(start->token, listen.token);
  // Without a token the TCP listener is on loopback.
  const bool ours = connection->facts().same_user ||
                    (listen.token.empty() && connection->facts().medium == Medium::kTcp &&
                     loopback_peer_is_same_user(connection->fd()));
  if (!shown && !ours)
    return failure(ErrorCode::kPermissionDenied,
                   listen.token.empty()   ? "another user, and this server has no token"
                   : start->token.empty() ? "the token is missing"
                                          : "the token is wrong");
  connection->set_stage(Connection::Stage::kKnown, clock_.monotonic_now());
  --unknown_count_;
  connection->input().set_options({.body_limit = kMaxControlBytes});
  auto taken = events_.on_hello(connection, frame);
  connection->told = taken.has_value();
  if (!taken) refuse(connection, taken.error());
  return ok();
}

// The peer hears why; its connection is no one's from now on.
void EpollLoop::refuse(const ConnectionPointer& connection, const Error& why) {
  if (connection->stage() == Connection::Stage::kClosing) return;
  const bool told = connection->told;
  if (connection->stage() == Connection::Stage::kUnknown) --unknown_count_;
  connection->refuse(why);
  connection->set_stage(Connection::Stage::kClosing, clock_.monotonic_now());
  connection->told = false;
  if (told) events_.on_gone(connection, why);
}

void EpollLoop::write(const ConnectionPointer& connection) {
  const MonotonicTime now = clock_.monotonic_now();
  if (auto flushed = connection->flush(now); !flushed) return drop(connection, flushed.error());
  if (events_.on_written && connection->told) events_.on_written(connection);
  if (connection->stage() == Connection::Stage::kClosing && connection->outbox().empty())
    connection->finish_writing();
  watch(*connection);
}

Status EpollLoop::drain(Connection& connection) {
  std::array<std::byte, 16u << 10> sink;
  std::uint64_t drained = 0;
  while (drained < kMaxDrainedBytes) {
    const ssize_t bytes = ::recv(connection.fd(), sink.data(), sink.size(), MSG_DONTWAIT);
    if (bytes < 0 && (errno == EAGAIN || errno == EINTR)) return ok();
    if (bytes <= 0) return failure(ErrorCode::kUnavailable, "peer took its refusal");
    drained += static_cast<std::uint64_t>(bytes);
  }
  return failure(ErrorCode::kUnavailable, "a refused peer goes on sending");
}

void EpollLoop::watch(Connection& connection) {
  const std::uint32_t wanted = connection.wants_to_write() ? EPOLLIN | EPOLLOUT : EPOLLIN;
  if (wanted == connection.watched) return;
  epoll_event event{};
  event.events = wanted;
  event.data.u64 = connection.number();
  ::epoll_ctl(epoll_.get(), connection.watched == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD,
              connection.fd(), &event);
  connection.watched = wanted;
}

void EpollLoop::drop(const ConnectionPointer& connection, const Error& why) {
  if (connections_.erase(connection->number()) == 0) return;
  if (connection->stage() == Connection::Stage::kUnknown) --unknown_count_;
  connection->release();
  if (std::exchange(connection->told, false)) events_.on_gone(connection, why);
}

void EpollLoop::tick() {
  const MonotonicTime now = clock_.monotonic_now();
  next_tick_ = now + options_.tick;
  if (paused_ && now >= accept_again_) resume_listeners();
  std::vector<std::pair<ConnectionPointer, Error>> late;
  for (const auto& [number, connection] : connections_) {
    const auto since = now - connection->stage_since();
    const Connection::Stage stage = connection->stage();
    if (stage == Connection::Stage::kUnknown && since > options_.hello_limit)
      late.emplace_back(connection, Error{ErrorCode::kTimedOut, "no hello in time"});
    else if (stage == Connection::Stage::kClosing && since > options_.closing_limit)
      late.emplace_back(connection, Error{ErrorCode::kTimedOut, "refused, and did not close"});
    else if (stage == Connection::Stage::kKnown &&
             now - connection->last_heard() > options_.silence_limit)
      late.emplace_back(connection, Error{ErrorCode::kTimedOut, "peer is silent"});
    else if (connection->unsent_bytes() > options_.queue_limit_bytes)
      late.emplace_back(connection, Error{ErrorCode::kLimitExceeded, "peer reads too slowly"});
  }
  for (const auto& [connection, why] : late) drop(connection, why);
  if (events_.on_tick) events_.on_tick();
}

void EpollLoop::accept_from(int listener, Medium medium) {
  for (int i = 0; i < kAcceptsPerTurn; ++i)
    if (!accept_one(listener, medium)) return;
}

bool EpollLoop::accept_one(int listener, Medium medium) {
  os::UniqueFd socket(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket) {
    const int error = errno;
    if (error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM)
      pause_listeners();
    return error == ECONNABORTED || error == EINTR;
  }
  if (connections_.size() >= static_cast<std::size_t>(options_.listen.connection_limit)) return true;
  ConnectionFacts facts;
  facts.number = next_number_++;
  facts.medium = medium;
  facts.since = clock_.monotonic_now();
  facts.address = peer_address(socket.get());
  facts.same_user = medium == Medium::kUnix && peer_is_same_user(socket.get());
  if (medium == Medium::kTcp) prepare_tcp(socket.get());
  if (is_loopback(facts.address)) expect_no_congestion(socket.get());
  auto stream = tls_ != nullptr && medium == Medium::kTcp
                    ? tls_->wrap(std::move(socket), "")
                    : Result<std::unique_ptr<ByteStream>>(
                          make_plain_stream(std::move(socket), Descriptors::kRefused));
  if (!stream) return true;
  auto connection = std::make_shared<Connection>(std::move(*stream), facts, wake_);
  connections_.emplace(facts.number, connection);
  unknown_.push_back(facts.number);
  ++unknown_count_;
  limit_unknown();
  watch(*connection);
  return true;
}

// Whoever says hello at once is served, however many others only connect.
void EpollLoop::limit_unknown() {
  while (!unknown_.empty()) {
    const auto found = connections_.find(unknown_.front());
    const bool there = found != connections_.end() &&
                       found->second->stage() == Connection::Stage::kUnknown;
    if (there && unknown_count_ <= static_cast<std::size_t>(options_.listen.unknown_limit)) return;
    if (there) {
      const ConnectionPointer held = found->second;
      drop(held, {ErrorCode::kLimitExceeded, "too many connections without a hello"});
    }
    unknown_.pop_front();
  }
}

Status EpollLoop::watch_listener(int listener, Watched tag, int operation) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = tag;
  if (::epoll_ctl(epoll_.get(), operation, listener, &event) != 0)
    return errno_failure(errno, "epoll_ctl");
  return ok();
}

void EpollLoop::pause_listeners() {
  if (std::exchange(paused_, true)) return;
  accept_again_ = clock_.monotonic_now() + kAcceptPause;
  for (const int listener : {tcp_.get(), unix_.get()})
    if (listener >= 0) ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, listener, nullptr);
}

void EpollLoop::resume_listeners() {
  paused_ = false;
  if (tcp_) static_cast<void>(watch_listener(tcp_.get(), kTcpListener, EPOLL_CTL_ADD));
  if (unix_) static_cast<void>(watch_listener(unix_.get(), kUnixListener, EPOLL_CTL_ADD));
}

}  // namespace

Result<std::unique_ptr<ServerLoop>> open_server_loop(LoopOptions options, LoopEvents events,
                                                     const Clock& clock) {
  auto loop = std::make_unique<EpollLoop>(std::move(options), std::move(events), clock);
  RETURN_IF_ERROR(loop->open());
  return std::unique_ptr<ServerLoop>(std::move(loop));
}

}  // namespace evener::data::transport
