#include "data/transport/data_server.h"

#include <gmock/gmock.h>
#include <sys/mman.h>

#include <condition_variable>
#include <cstring>

#include "base/mutex.h"
#include "data/transport/arena.h"
#include "data/transport/byte_stream.h"
#include "data/transport/raw_peer_test.h"

namespace evener::data::transport {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kBody = 1'000;                   // padded to 1,024

class Worker {
 public:
  explicit Worker(BodyChecksum checksum = BodyChecksum::kNone) {
    DataServerOptions options;
    options.listen.local = local_;
    options.checksum = checksum;
    ReaderEvents events;
    events.on_hello = [](const StreamHello& hello) -> Result<FeedShape> {
      if (hello.generation != 1) return failure(ErrorCode::kPermissionDenied, "an old generation");
      return FeedShape{{{{"x", DType::kU8, {100}}}}, 10};
    };
    events.on_reader = [this](const std::shared_ptr<Outgoing>& reader) {
      const MutexLock lock(mutex_);
      reader_ = reader;
      changed_.notify_all();
    };
    events.on_credit = [this](const std::shared_ptr<Outgoing>&) {
      const MutexLock lock(mutex_);
      ++credits_;
      changed_.notify_all();
    };
    events.on_gone = [this](const std::shared_ptr<Outgoing>&, const Error& why) {
      const MutexLock lock(mutex_);
      gone_ = why.message;
      changed_.notify_all();
    };
    auto server = open_data_server(options, events, clock_);
    CHECK(server.has_value(), "a free port");
    server_ = std::move(*server);
  }
  std::uint16_t port() const { return server_->port(); }
  Endpoint local() const { return {local_, 0, Endpoint::Kind::kUnix}; }
  std::shared_ptr<Outgoing> reader() {
    MutexLock lock(mutex_);
    changed_.wait(mutex_, [this] { return reader_ != nullptr; });
    return reader_;
  }
  void wait_credit() {
    MutexLock lock(mutex_);
    changed_.wait(mutex_, [this] { return credits_ > 0; });
    credits_ = 0;
  }
  std::string wait_gone() {
    MutexLock lock(mutex_);
    changed_.wait(mutex_, [this] { return !gone_.empty(); });
    return gone_;
  }

 private:
  const SystemClock clock_;
  const std::string local_ = "evener-data-" + std::to_string(::getpid());
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::shared_ptr<Outgoing> reader_ GUARDED_BY(mutex_);
  int credits_ GUARDED_BY(mutex_) = 0;
  std::string gone_ GUARDED_BY(mutex_);
  std::unique_ptr<DataServer> server_;
};

std::string hello(std::uint64_t credit, std::uint32_t generation = 1) {
  return frame_of(StreamHello{"", 1, generation, 0, credit});
}

std::optional<Slot> room(Outgoing& reader, Unit unit = {}, std::uint64_t bytes = kBody) {
  auto slot = reader.try_reserve(unit, bytes);
  return slot ? std::move(*slot) : std::nullopt;
}

TEST(DataServer, SendsWithinTheCreditAndNoMore) {
  Worker worker(BodyChecksum::kCrc32c);
  RawPeer peer(worker.port());
  peer.send(hello(2 * 1'024));
  auto welcome = peer.receive();
  ASSERT_TRUE(welcome.has_value());
  EXPECT_EQ(read_stream_welcome(welcome->view())->arena_bytes, 0u);
  auto reader = worker.reader();
  auto first = room(*reader);
  auto second = room(*reader, {0, 1});
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(room(*reader, {0, 2}));
  std::memset(first->body().data(), 7, kBody);
  ASSERT_TRUE(reader->send({.attempt = 2, .epoch = 3, .samples = 10, .batch = 4}, std::move(*first)));
  auto data = peer.receive();
  ASSERT_TRUE(data.has_value());
  EXPECT_EQ(data->header.kind, FrameKind::kData);
  EXPECT_EQ(data->header.unit(), (Unit{3, 4}));
  EXPECT_EQ(data->header.attempt, 2u);
  EXPECT_EQ(data->body, std::string(kBody, '\7'));
  EXPECT_EQ(data->header.body_checksum, crc32c(data->view().body));
  EXPECT_FALSE(room(*reader, {0, 2}));
  peer.send(frame_of(Credit{.bytes = 1'024}));
  while (!room(*reader, {0, 2})) worker.wait_credit();
  EXPECT_TRUE(room(*reader, {0, 2}));      // dropped unsent, its credit came back
}

TEST(DataServer, TheUnitThatIsWaitedForHasRoomOfItsOwn) {
  Worker worker;
  RawPeer peer(worker.port());
  peer.send(hello(0));
  auto reader = worker.reader();
  EXPECT_FALSE(room(*reader, {0, 5}));
  peer.send(frame_of(Credit{.only = Unit{0, 5}}));
  worker.wait_credit();
  EXPECT_FALSE(room(*reader, {0, 6}));
  auto slot = room(*reader, {0, 5});
  ASSERT_TRUE(slot);
  EXPECT_FALSE(room(*reader, {0, 5}));
  ASSERT_TRUE(reader->send({.samples = 10, .batch = 5}, std::move(*slot)));
  ASSERT_TRUE(peer.receive());
  EXPECT_EQ(peer.receive()->header.flags, kOnlyForUnit);
}

TEST(DataServer, WaitsForRoomInTheOrderOfUnits) {
  Worker worker;
  RawPeer peer(worker.port());
  peer.send(hello(0));
  auto reader = worker.reader();
  std::atomic<int> last{0};
  std::jthread later([&] {
    if (auto slot = reader->reserve({0, 9}, kBody, {})) {
      last = 9;
      static_cast<void>(reader->send({.samples = 10, .batch = 9}, std::move(*slot)));
    }
  });
  std::jthread earlier([&] {
    if (auto slot = reader->reserve({0, 2}, kBody, {})) {
      last = 2;
      static_cast<void>(reader->send({.samples = 10, .batch = 2}, std::move(*slot)));
    }
  });
  peer.send(frame_of(Credit{.only = Unit{0, 2}}));
  peer.receive();
  EXPECT_EQ(peer.receive()->header.batch, 2u);
  EXPECT_EQ(last, 2);
  peer.send(frame_of(Credit{.bytes = 1'024}));
  EXPECT_EQ(peer.receive()->header.batch, 9u);
}

TEST(DataServer, AReserveThatIsStoppedOrLosesItsReaderEnds) {
  Worker worker;
  auto peer = std::make_unique<RawPeer>(worker.port());
  peer->send(hello(0));
  auto reader = worker.reader();
  std::stop_source stop;
  std::jthread stopper([&] { stop.request_stop(); });
  EXPECT_EQ(reader->reserve({}, kBody, stop.get_token()).error().code, ErrorCode::kCancelled);
  std::jthread leaver([&] { peer.reset(); });
  EXPECT_EQ(reader->reserve({}, kBody, {}).error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(reader->fail({}).error().code, ErrorCode::kUnavailable);
}

TEST(DataServer, RefusesBodiesBeyondTheSchemaAndReadersThatAreNotExpected) {
  Worker worker;
  RawPeer old(worker.port());
  old.send(hello(1'024, 0));
  EXPECT_EQ(old.refusal(), "an old generation");
  RawPeer peer(worker.port());
  peer.send(hello(1u << 20));
  auto reader = worker.reader();
  EXPECT_EQ(reader->try_reserve({}, 1'025).error().code, ErrorCode::kInvalidArgument);
}

// What the worker writes is there where the reader looks, and only offsets travel.
TEST(DataServer, OfOneHostSharesAnArena) {
  Worker worker;
  auto socket = begin_connect(worker.local());
  ASSERT_TRUE(socket.has_value());
  auto stream = make_plain_stream(std::move(*socket), Descriptors::kTaken);
  std::string frame = hello(3 * 1'024 + 100);
  const std::array out{iovec{frame.data(), frame.size()}};
  ASSERT_TRUE(stream->write(out));
  std::array<std::byte, 4'096> bytes;
  const std::array in{iovec{bytes.data(), bytes.size()}};
  ASSERT_TRUE(os::wait_ready(stream->fd(), POLLIN, std::chrono::seconds(10)).value_or(false));
  ASSERT_TRUE(stream->read(in));
  auto descriptor = stream->take_descriptor();
  ASSERT_TRUE(descriptor.has_value());
  auto arena = ArenaMemory::map(*descriptor, 3 * 1'024);
  ASSERT_TRUE(arena.has_value()) << arena.error().message;
  EXPECT_FALSE(ArenaMemory::map(*descriptor, 4 * 1'024).has_value());
  EXPECT_NE(::ftruncate(descriptor->get(), 0), 0);       // sealed
  auto reader = worker.reader();
  auto slot = room(*reader);
  ASSERT_TRUE(slot);
  std::memset(slot->body().data(), 9, kBody);
  ASSERT_TRUE(reader->send({.samples = 10}, std::move(*slot)));
  ASSERT_TRUE(os::wait_ready(stream->fd(), POLLIN, std::chrono::seconds(10)).value_or(false));
  auto read = stream->read(in);
  ASSERT_TRUE(read && read->bytes == kHeaderBytes);
  auto header = decode(std::span(bytes).first<kHeaderBytes>(), kMaxBodyBytes);
  ASSERT_TRUE(header.has_value());
  EXPECT_EQ(header->flags, kInArena);
  EXPECT_EQ((*arena)->data()[header->offset + kBody - 1], std::byte{9});
}

TEST(DataServer, AReaderThatLiesAboutPlacesIsDropped) {
  for (const std::uint64_t place : {std::uint64_t{0}, std::uint64_t{5}, std::uint64_t{1'024},
                                    std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    Worker worker;
    RawPeer peer(worker.local());
    peer.send(hello(2 * 1'024));
    ASSERT_TRUE(peer.receive());
    auto reader = worker.reader();
    auto slot = room(*reader);             // taken, not sent: no place may come back
    ASSERT_TRUE(slot);
    peer.send(frame_of(Credit{.place = place}));
    EXPECT_THAT(peer.refusal(), HasSubstr("where no batch lies"));
    EXPECT_THAT(worker.wait_gone(), HasSubstr("where no batch lies"));
    EXPECT_FALSE(reader->send({.samples = 10}, std::move(*slot)));
  }
}

TEST(DataServer, CreditForWhatIsNotThereEndsTheConnection) {
  Worker worker;
  RawPeer peer(worker.port());
  peer.send(hello(0));
  ASSERT_TRUE(peer.receive());
  peer.send(frame_of(Credit{.place = 0}));
  EXPECT_THAT(peer.refusal(), HasSubstr("arena that is not there"));
  RawPeer greedy(worker.port());
  greedy.send(hello(0));
  ASSERT_TRUE(greedy.receive());
  greedy.send(frame_of(Credit{.bytes = ~std::uint64_t{0}}));
  EXPECT_THAT(greedy.refusal(), HasSubstr("more bytes than there are"));
}

}  // namespace
}  // namespace evener::data::transport
