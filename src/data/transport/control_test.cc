#include "data/transport/control_server.h"

#include <condition_variable>
#include <future>

#include "base/check.h"
#include "base/mutex.h"
#include "data/transport/control_client.h"
#include "data/transport/messages.h"

namespace evener::data::transport {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLimit{10'000};

// Answers each frame with one like it; refuses those who lease.
class Echo {
 public:
  explicit Echo(std::uint64_t queue_limit = 64u << 20) {
    ControlServerOptions options;
    options.tick = milliseconds(5);
    options.queue_limit_bytes = queue_limit;
    ControlEvents events;
    events.on_hello = [this](const std::shared_ptr<Peer>& peer, const FrameView& frame) -> Status {
      auto hello = read_worker_hello(frame);
      if (!hello) return tl::unexpected(hello.error());
      if (hello->threads == 0) return failure(ErrorCode::kInvalidArgument, "no threads");
      peer->send(frame_of(WorkerWelcome{7}));
      const MutexLock lock(mutex_);
      peer_ = peer;
      changed_.notify_all();
      return ok();
    };
    events.on_frame = [](const std::shared_ptr<Peer>& peer, const FrameView& frame) -> Status {
      if (frame.header.kind == FrameKind::kLease)
        return failure(ErrorCode::kUnsupported, "workers do not lease");
      const auto* text = reinterpret_cast<const char*>(frame.body.data());
      peer->send(frame_bytes(frame.header, std::string_view(text, frame.body.size())));
      return ok();
    };
    events.on_gone = [this](const std::shared_ptr<Peer>&, const Error& why) {
      const MutexLock lock(mutex_);
      gone_ = why;
      changed_.notify_all();
    };
    auto server = open_control_server(options, events, clock_);
    CHECK(server.has_value(), "a free port");
    server_ = std::move(*server);
  }
  ConnectOptions address() const { return {{"127.0.0.1", server_->port()}}; }
  ControlServer& server() { return *server_; }
  std::shared_ptr<Peer> peer() {
    MutexLock lock(mutex_);
    changed_.wait(mutex_, [this] { return peer_ != nullptr; });
    return peer_;
  }
  Error wait_gone() {
    MutexLock lock(mutex_);
    changed_.wait(mutex_, [this] { return gone_.has_value(); });
    return *gone_;
  }

 private:
  const SystemClock clock_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::shared_ptr<Peer> peer_ GUARDED_BY(mutex_);
  std::optional<Error> gone_ GUARDED_BY(mutex_);
  std::unique_ptr<ControlServer> server_;
};

std::unique_ptr<ControlClient> connect(const Echo& echo, std::uint32_t threads = 1) {
  auto client =
      connect_control(echo.address(), frame_of(WorkerHello{"", "a:1", threads, "", ""}), kLimit);
  EXPECT_TRUE(client.has_value()) << client.error().message;
  return client ? std::move(*client) : nullptr;
}

TEST(Control, FramesGoBothWaysInOrder) {
  Echo echo;
  auto client = connect(echo);
  auto welcome = client->receive(kLimit);
  ASSERT_TRUE(welcome && *welcome);
  EXPECT_EQ(read_worker_welcome((*welcome)->view())->worker, 7u);
  for (std::uint32_t feed = 1; feed <= 300; ++feed)
    ASSERT_TRUE(client->send(frame_bytes({.kind = FrameKind::kFeed, .feed = feed},
                                         std::string(feed * 100, 'x'))));
  for (std::uint32_t feed = 1; feed <= 300; ++feed) {
    auto frame = client->receive(kLimit);
    ASSERT_TRUE(frame && *frame);
    ASSERT_EQ((*frame)->header.feed, feed);
    ASSERT_EQ((*frame)->body.size(), feed * 100);
  }
  auto nothing = client->receive(milliseconds(1));
  EXPECT_TRUE(nothing && !*nothing);
}

TEST(Control, ARefusalIsTheErrorOfTheClient) {
  Echo echo;
  auto unwelcome = connect(echo, 0)->receive(kLimit);
  ASSERT_FALSE(unwelcome.has_value());
  EXPECT_EQ(unwelcome.error(), (Error{ErrorCode::kInvalidArgument, "no threads"}));
  auto client = connect(echo);
  ASSERT_TRUE(client->receive(kLimit));
  ASSERT_TRUE(client->send(lease_frame({1, 1, 0, {}, 1})));
  auto refused = client->receive(kLimit);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message, "workers do not lease");
  EXPECT_EQ(echo.wait_gone().message, "workers do not lease");
}

TEST(Control, APeerThatIsClosedOrLeavesIsTold) {
  Echo echo;
  auto client = connect(echo);
  echo.peer()->close();
  while (auto frame = client->receive(kLimit)) EXPECT_TRUE(*frame);
  EXPECT_EQ(echo.wait_gone().code, ErrorCode::kCancelled);
  Echo other;
  connect(other)->receive(kLimit).value();
  EXPECT_EQ(other.wait_gone().code, ErrorCode::kUnavailable);
}

TEST(Control, APeerThatReadsTooSlowlyIsDropped) {
  Echo echo(1u << 20);
  auto client = connect(echo);
  const auto peer = echo.peer();
  for (int i = 0; i < 60; ++i)
    peer->send(frame_bytes({.kind = FrameKind::kFeed}, std::string(1'000'000, ' ')));
  EXPECT_EQ(echo.wait_gone().code, ErrorCode::kLimitExceeded);
}

TEST(Control, ShutDownEndsAReceiveThatWaits) {
  Echo echo;
  auto client = connect(echo);
  ASSERT_TRUE(client->receive(kLimit));
  std::jthread ender([&] { client->shut_down(); });
  auto received = client->receive(kLimit);
  ASSERT_FALSE(received.has_value());
  EXPECT_EQ(received.error().code, ErrorCode::kCancelled);
}

TEST(Control, PostedCallsRunOnTheServersThread) {
  Echo echo;
  std::promise<std::thread::id> where;
  echo.server().post([&] { where.set_value(std::this_thread::get_id()); });
  EXPECT_NE(where.get_future().get(), std::this_thread::get_id());
}

TEST(Control, SendsAfterTheServersEndAreHarmless) {
  std::shared_ptr<Peer> peer;
  {
    Echo echo;
    auto client = connect(echo);
    peer = echo.peer();
  }
  peer->send(ping_frame());
  peer->close();
}

TEST(Endpoint, ComesBackFromItsText) {
  for (const std::string text : {"10.0.0.7:7000", "[::1]:7000", "algo-1:80", "unix:evener-1"}) {
    auto endpoint = parse_endpoint(text);
    ASSERT_TRUE(endpoint.has_value()) << text;
    EXPECT_EQ(to_string(*endpoint), text);
  }
  for (const std::string_view text : {"", "host", "host:", ":80", "host:0", "host:65536", "::1:80",
                                      "host:80x", "unix:", "[]:80"})
    EXPECT_FALSE(parse_endpoint(text).has_value()) << text;
  EXPECT_FALSE(parse_endpoint("unix:" + std::string(200, 'a')).has_value());
}

TEST(Endpoint, TheHostIsTheSameForThisProcess) {
  auto once = host_identity();
  ASSERT_TRUE(once.has_value());
  EXPECT_EQ(*once, *host_identity());
}

}  // namespace
}  // namespace evener::data::transport
