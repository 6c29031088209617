// Peers that mean no good, or know no better: each is refused, and the next is served.
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <condition_variable>
#include <cstring>

#include "base/mutex.h"
#include "data/transport/loopback_peer.h"
#include "data/transport/raw_peer_test.h"
#include "data/transport/server_loop.h"

namespace evener::data::transport {
namespace {

using testing::HasSubstr;

class Served {
 public:
  explicit Served(const std::string& token = "secret", int unknown_limit = 1'000) {
    LoopOptions options;
    options.listen.token = token;
    options.listen.local = local_;
    options.listen.unknown_limit = unknown_limit;
    options.tick = std::chrono::milliseconds(5);
    LoopEvents events;
    events.on_hello = [](const ConnectionPointer& connection, const FrameView&) {
      connection->send(frame_of(WorkerWelcome{1}));
      return ok();
    };
    events.on_frame = [](const ConnectionPointer& connection, const FrameView& frame) {
      connection->send(frame_bytes({.kind = frame.header.kind}));
      return ok();
    };
    events.on_gone = [this](const ConnectionPointer&, const Error& why) {
      const MutexLock lock(mutex_);
      gone_.push_back(why.message);
      changed_.notify_all();
    };
    auto loop = open_server_loop(options, events, clock_);
    CHECK(loop.has_value(), "a free port");
    loop_ = std::move(*loop);
  }
  std::uint16_t port() const { return loop_->port(); }
  Endpoint local() const { return {local_, 0, Endpoint::Kind::kUnix}; }
  FakeClock& clock() { return clock_; }
  bool any_gone() {
    const MutexLock lock(mutex_);
    return !gone_.empty();
  }
  std::string wait_gone() {
    MutexLock lock(mutex_);
    changed_.wait(mutex_, [this] { return !gone_.empty(); });
    return gone_.back();
  }

 private:
  FakeClock clock_{from_millis(0)};
  const std::string local_ = "evener-hostile-" + std::to_string(::getpid()) + "-" +
                             std::to_string(reinterpret_cast<std::uintptr_t>(this));
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<std::string> gone_ GUARDED_BY(mutex_);
  std::unique_ptr<ServerLoop> loop_;
};

std::string hello(const std::string& token = "secret") {
  return frame_of(WorkerHello{token, "a:1", 1, "", ""});
}

void expect_served(std::uint16_t port, const std::string& token = "secret") {
  RawPeer peer(port);
  ASSERT_TRUE(peer.send(hello(token)));
  auto welcome = peer.receive();
  ASSERT_TRUE(welcome.has_value());
  EXPECT_EQ(welcome->header.kind, FrameKind::kWelcome);
}

TEST(Hostile, ATokenThatIsWrongOrMissingIsRefused) {
  Served served;
  for (const std::string token : {"", "secre", "secret ", "Secret", "secretsecret"}) {
    RawPeer peer(served.port());
    peer.send(hello(token) + hello());
    EXPECT_THAT(peer.refusal(), HasSubstr("token")) << token;
  }
  expect_served(served.port());
}

TEST(Hostile, TheSameUserNeedsNoTokenOnTheUnixSocket) {
  Served served;
  RawPeer peer(served.local());
  peer.send(hello(""));
  auto welcome = peer.receive();
  ASSERT_TRUE(welcome.has_value());
  EXPECT_EQ(welcome->header.kind, FrameKind::kWelcome);
}

TEST(Hostile, TheSameUserNeedsNoTokenOnLoopbackWhereThereIsNone) {
  for (const std::string address : {"127.0.0.1", "::1"}) {
    auto listener = listen_tcp(address, 0);
    if (!listener) continue;               // a machine without IPv6
    auto client = begin_connect({address, port_of(listener->get()).value()});
    ASSERT_TRUE(client.has_value());
    ASSERT_TRUE(os::wait_ready(listener->get(), POLLIN, std::chrono::seconds(10)).value_or(false));
    const os::UniqueFd accepted(::accept4(listener->get(), nullptr, nullptr, SOCK_CLOEXEC));
    EXPECT_TRUE(loopback_peer_is_same_user(accepted.get())) << address;
    EXPECT_FALSE(loopback_peer_is_same_user(listener->get())) << address;
  }
  Served served("");
  expect_served(served.port(), "");
}

TEST(Hostile, AnotherUserNeedsATokenEverywhere) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  Served open("");
  Served closed("secret");
  for (Served* served : {&open, &closed}) {
    std::string refusal;
    std::jthread other([&] {
      // Of this thread alone: the C library would change the whole process.
      ASSERT_EQ(::syscall(SYS_setresuid, 65'534, 65'534, 65'534), 0);
      RawPeer peer(served->port());
      peer.send(hello(""));
      refusal = peer.refusal();
    });
    other.join();
    EXPECT_NE(refusal, "");
  }
}

TEST(Hostile, OtherMachinesNeedAToken) {
  LoopOptions options;
  options.listen.address = "0.0.0.0";
  const SystemClock clock;
  auto loop = open_server_loop(options, {}, clock);
  ASSERT_FALSE(loop.has_value());
  EXPECT_EQ(loop.error().code, ErrorCode::kInvalidArgument);
}

TEST(Hostile, EveryChangedByteOfAHelloIsRefusedOrHarmless) {
  Served served;
  const std::string right = hello();
  for (std::size_t at = 0; at < right.size(); ++at) {
    std::string wrong = right;
    wrong[at] = static_cast<char>(wrong[at] ^ 0x41);
    RawPeer peer(served.port());
    peer.send(wrong);
    peer.finish_sending();
    peer.refusal();                        // until it closes
  }
  expect_served(served.port());
}

TEST(Hostile, AHelloThatEndsAtAnyByteIsForgotten) {
  Served served;
  const std::string right = hello();
  for (std::size_t length = 0; length < right.size(); ++length) {
    RawPeer peer(served.port());
    peer.send(std::string_view(right).substr(0, length));
  }
  expect_served(served.port());
}

TEST(Hostile, GiantLengthsOldVersionsAndOtherProtocolsAreRefused) {
  Served served;
  const auto answer = [&](std::string_view bytes) {
    RawPeer peer(served.port());
    peer.send(bytes);
    return peer.refusal();
  };
  const auto header_only = [](FrameHeader header) {
    const HeaderBytes bytes = encode(header);
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  EXPECT_THAT(answer(header_only({.kind = FrameKind::kHello, .body_bytes = ~std::uint64_t{0}})),
              HasSubstr("at most 65536"));
  EXPECT_THAT(answer(header_only({.kind = FrameKind::kHello, .body_bytes = kMaxHelloBytes + 1})),
              HasSubstr("at most 65536"));
  std::string old = hello();
  old[4] = 0;
  EXPECT_THAT(answer(old), HasSubstr("version 0"));
  EXPECT_THAT(answer("GET / HTTP/1.1\r\nHost: a.example.com\r\nAccept: */*\r\nUser-Agent: someone\r\n\r\n"),
              HasSubstr("EVF1"));
  EXPECT_THAT(answer(ping_frame()), HasSubstr("hello"));
  EXPECT_THAT(answer(hello() + header_only({.kind = FrameKind::kFeed, .body_bytes = 2u << 20})),
              HasSubstr("at most 1048576"));
  expect_served(served.port());
}

TEST(Hostile, WhoSaysNoHelloInTimeIsClosed) {
  Served served;
  RawPeer silent(served.port());
  RawPeer slow(served.port());
  slow.send(hello().substr(0, 70));
  expect_served(served.port());            // by then both were accepted
  served.clock().advance(std::chrono::seconds(6));
  EXPECT_FALSE(silent.receive().has_value());
  EXPECT_FALSE(slow.receive().has_value());
}

TEST(Hostile, APeerThatStopsInTheMiddleOfAFrameIsDropped) {
  Served served;
  RawPeer peer(served.port());
  peer.send(hello());
  ASSERT_TRUE(peer.receive().has_value());
  peer.send(frame_bytes({.kind = FrameKind::kFeed}, std::string(1'000, ' ')).substr(0, 500));
  // The server may read that only after the clock was moved.
  while (!served.any_gone()) {
    served.clock().advance(std::chrono::seconds(4));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(served.wait_gone(), "peer is silent");
}

TEST(Hostile, WhoSaysHelloIsServedHoweverManyOnlyConnect) {
  constexpr int kMany = 9'000;
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const rlimit before = limit;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur < 2 * kMany + 200) GTEST_SKIP() << "needs 18,200 descriptors";
  {
    Served served("secret", 20'000);
    std::vector<std::unique_ptr<RawPeer>> many;
    for (int i = 0; i < kMany; ++i) many.push_back(std::make_unique<RawPeer>(served.port()));
    expect_served(served.port());
    Served strict("secret", 10);
    many.resize(100);
    for (int i = 0; i < 100; ++i) many.push_back(std::make_unique<RawPeer>(strict.port()));
    expect_served(strict.port());
    EXPECT_FALSE(many[100]->receive().has_value());      // the oldest was closed
  }
  ::setrlimit(RLIMIT_NOFILE, &before);
}

TEST(Hostile, WithoutDescriptorsAcceptingPausesAndGoesOn) {
  Served served;
  expect_served(served.port());
  std::vector<os::UniqueFd> all;
  RawPeer waiting(served.port());
  waiting.send(hello());
  ASSERT_TRUE(waiting.receive().has_value());
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const rlimit before = limit;
  os::UniqueFd socket(::socket(AF_INET, SOCK_STREAM, 0));
  limit.rlim_cur = static_cast<rlim_t>(socket.get() + 1);
  ::setrlimit(RLIMIT_NOFILE, &limit);
  // Connects with the descriptor that is there; none is left to accept it.
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(served.port());
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  waiting.send(frame_bytes({.kind = FrameKind::kFeed}));
  EXPECT_TRUE(waiting.receive().has_value());            // others are served meanwhile
  ::setrlimit(RLIMIT_NOFILE, &before);
  served.clock().advance(std::chrono::seconds(1));
  RawPeer late(std::move(socket));
  late.send(hello());
  EXPECT_TRUE(late.receive().has_value());
}

}  // namespace
}  // namespace evener::data::transport
