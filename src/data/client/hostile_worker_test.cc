// Workers that lie: the reader leaves them, says which, and takes the unit from another.
#include <gmock/gmock.h>
#include <sys/socket.h>

#include "data/client/scripted_feed_test.h"
#include "data/transport/raw_peer_test.h"

namespace evener::data::client {
namespace {

using transport::FrameHeader;
using transport::FrameKind;
using transport::RawPeer;

const SystemClock kClock;
constexpr std::uint64_t kBody = 16 * 64 + 16 * 8;        // of FeedScript's defaults

// A listener on loopback whose connections the test serves byte by byte.
class LyingWorker {
 public:
  LyingWorker() : listener_(std::move(*transport::listen_tcp("127.0.0.1", 0))) {}
  transport::WorkerPlace place() const {
    return {9, "127.0.0.1:" + std::to_string(*transport::port_of(listener_.get())), "", ""};
  }
  // Waits for the reader, reads its hello and welcomes it.
  RawPeer accept(const FeedScript& script) {
    EXPECT_TRUE(os::wait_ready(listener_.get(), POLLIN, std::chrono::seconds(10)).value_or(false));
    RawPeer peer(os::UniqueFd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)));
    auto hello = peer.receive();
    EXPECT_TRUE(hello && transport::read_stream_hello(hello->view()).has_value());
    peer.send(frame_of(transport::StreamWelcome{script.schema(), script.batch_size, 0, 1'152}));
    return peer;
  }

 private:
  os::UniqueFd listener_;
};

std::string bytes_of(const FrameHeader& header) {
  const auto bytes = transport::encode(header);
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

FrameHeader right() {
  return {.kind = FrameKind::kData, .feed = 1, .samples = 16, .batch = 0, .body_bytes = kBody,
          .generation = 1};
}

// The reader closes the connection, and takes batch 0 from the one that comes next.
void expect_left(const std::string& bytes) {
  const FeedScript script{.batches_per_epoch = 1};
  LyingWorker worker;
  ScriptedDispatcher dispatcher(script, {worker.place()});
  auto reader = Reader::open(dispatcher.options(), kClock);
  ASSERT_TRUE(reader.has_value());
  {
    RawPeer peer = worker.accept(script);
    peer.send(bytes);
    while (peer.receive()) {
    }
  }
  RawPeer peer = worker.accept(script);
  peer.send(bytes_of(right()) + std::string(kBody, '\1'));
  auto batch = (*reader)->next();
  ASSERT_TRUE(batch.has_value()) << batch.error().message;
  EXPECT_EQ((*batch)->tensors()[0].data[5], std::byte{1});
}

TEST(HostileWorker, DataOfAnotherFeedGenerationRankOrShapeIsNotTaken) {
  FrameHeader header = right();
  header.feed = 2;
  expect_left(bytes_of(header));
  header = right();
  header.generation = 0;
  expect_left(bytes_of(header));
  header = right();
  header.batch = 1;                        // there is one batch
  expect_left(bytes_of(header));
  header = right();
  header.samples = 17;
  expect_left(bytes_of(header));
  header = right();
  header.samples = 0;
  expect_left(bytes_of(header));
  header = right();
  header.body_bytes = kBody - 1;
  expect_left(bytes_of(header));
}

TEST(HostileWorker, FramesThatBelongNowhereAreNotTaken) {
  FrameHeader header = right();
  header.flags = transport::kInArena;
  expect_left(bytes_of(header));           // there is no arena
  header = right();
  header.flags = transport::kOnlyForUnit;
  expect_left(bytes_of(header) + std::string(kBody, '\2'));  // was not given room
  header = right();
  header.body_bytes = ~std::uint64_t{0};
  expect_left(bytes_of(header));
  expect_left(transport::lease_frame({1, 1, 0, {}, 1}));
  expect_left(std::string(64, 'x'));
  std::string old = bytes_of(right());
  old[4] = 9;
  expect_left(old);
}

TEST(HostileWorker, AnEndInTheMiddleOfABatchLosesNothing) {
  for (const std::size_t length : {1u, 63u, 64u, 65u, 1'000u}) {
    const FeedScript script{.batches_per_epoch = 1};
    LyingWorker worker;
    ScriptedDispatcher dispatcher(script, {worker.place()});
    auto reader = Reader::open(dispatcher.options(), kClock);
    ASSERT_TRUE(reader.has_value());
    const std::string whole = bytes_of(right()) + std::string(kBody, '\1');
    {
      RawPeer peer = worker.accept(script);
      peer.send(std::string_view(whole).substr(0, length));
    }
    RawPeer peer = worker.accept(script);
    peer.send(whole);
    ASSERT_TRUE((*reader)->next().has_value());
  }
}

TEST(HostileWorker, ASchemaUnlikeTheDispatchersIsNotTaken) {
  const FeedScript script;
  FeedScript other = script;
  other.row_bytes = 65;
  LyingWorker worker;
  ScriptedDispatcher dispatcher(script, {worker.place()});
  auto reader = Reader::open(dispatcher.options(), kClock);
  ASSERT_TRUE(reader.has_value());
  RawPeer peer = worker.accept(other);
  EXPECT_FALSE(peer.receive().has_value());
}

TEST(HostileWorker, AChecksumThatIsWrongIsAnErrorOfTheUnit) {
  const FeedScript script{.batches_per_epoch = 1};
  LyingWorker worker;
  ScriptedDispatcher dispatcher(script, {worker.place()});
  auto reader = Reader::open(dispatcher.options(), kClock);
  ASSERT_TRUE(reader.has_value());
  RawPeer peer = worker.accept(script);
  FrameHeader header = right();
  header.flags = transport::kHasBodyChecksum;
  header.body_checksum = 1;
  peer.send(bytes_of(header) + std::string(kBody, '\1'));
  auto batch = (*reader)->next();
  ASSERT_FALSE(batch.has_value());
  EXPECT_EQ(batch.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(batch.error().message, testing::HasSubstr("worker 9 (127.0.0.1:"));
}

TEST(HostileWorker, NobodyToReadFromIsSaidAfterAWhile) {
  const FeedScript script;
  ScriptedDispatcher dispatcher(script, {{3, "127.0.0.1:1", "", ""}});
  ReaderOptions options = dispatcher.options();
  options.patience = std::chrono::milliseconds(50);
  auto reader = Reader::open(options, kClock);
  ASSERT_TRUE(reader.has_value());
  auto batch = (*reader)->next();
  ASSERT_FALSE(batch.has_value());
  EXPECT_EQ(batch.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(batch.error().message, testing::HasSubstr("worker 3 (127.0.0.1:1)"));
}

}  // namespace
}  // namespace evener::data::client
