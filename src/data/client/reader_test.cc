#include "data/client/client.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <sys/socket.h>

#include "data/client/scripted_feed_test.h"

namespace evener::data::client {
namespace {

const SystemClock kClock;

std::unique_ptr<Reader> open(const ReaderOptions& options) {
  auto reader = Reader::open(options, kClock);
  EXPECT_TRUE(reader.has_value()) << reader.error().message;
  return reader ? std::move(*reader) : nullptr;
}

bool holds(const Batch& batch) {
  const auto tensors = batch.tensors();
  const std::byte expected = byte_of({batch.epoch(), batch.index()});
  return tensors.size() == 2 && reinterpret_cast<std::uintptr_t>(tensors[0].data) % 64 == 0 &&
         tensors[0].data[0] == expected && tensors[0].data[tensors[0].bytes - 1] == expected &&
         tensors[1].data[0] == expected;
}

// All batches of an epoch, in order, each with its bytes.
void expect_all(Reader& reader, std::uint64_t first, std::uint64_t step, std::uint64_t end) {
  for (std::uint64_t index = first; index < end; index += step) {
    auto batch = reader.next();
    ASSERT_TRUE(batch.has_value()) << batch.error().message;
    ASSERT_TRUE(batch->has_value());
    ASSERT_EQ((*batch)->index(), index);
    ASSERT_TRUE(holds(**batch));
  }
  auto end_of_feed = reader.next();
  ASSERT_TRUE(end_of_feed.has_value()) << end_of_feed.error().message;
  EXPECT_FALSE(end_of_feed->has_value());
}

TEST(Reader, TakesSmallBatchesOfOneWorkerInOrder) {
  const FeedScript script{.batches_per_epoch = 2'000};
  ScriptedWorker worker(script, 1);
  ScriptedDispatcher dispatcher(script, {worker.place()});
  worker.send_all(units(0, 1, 2'000));
  auto reader = open(dispatcher.options());
  expect_all(*reader, 0, 1, 2'000);
  dispatcher.wait_ack({1, 0});
  EXPECT_EQ(reader->statistics().batches, 2'000u);
  EXPECT_EQ(reader->statistics().arena_batches, 0u);
}

TEST(Reader, TakesLargeBatchesThroughSlabs) {
  const FeedScript script{.row_bytes = 150'000, .batches_per_epoch = 40};
  ScriptedWorker worker(script, 1);
  ScriptedDispatcher dispatcher(script, {worker.place()});
  worker.send_all(units(0, 1, 40));
  ReaderOptions options = dispatcher.options();
  options.memory_bytes = 10u << 20;
  auto reader = open(options);
  expect_all(*reader, 0, 1, 40);
}

TEST(Reader, TakesBatchesOfItsOwnHostThroughTheArena) {
  const FeedScript script{.row_bytes = 15'000, .batches_per_epoch = 200};
  ScriptedWorker worker(script, 1, ScriptedWorker::Door::kBoth);
  ScriptedDispatcher dispatcher(script, {worker.place()});
  worker.send_all(units(0, 1, 200));
  ReaderOptions options = dispatcher.options();
  options.memory_bytes = 2u << 20;
  auto reader = open(options);
  expect_all(*reader, 0, 1, 200);
  EXPECT_EQ(reader->statistics().arena_batches, 200u);
}

TEST(Reader, BringsTheUnitsOfManyWorkersIntoOrder) {
  const FeedScript script{.batches_per_epoch = 900};
  ScriptedWorker a(script, 1);
  ScriptedWorker b(script, 2);
  ScriptedWorker c(script, 3, ScriptedWorker::Door::kBoth);
  ScriptedDispatcher dispatcher(script, {a.place(), b.place(), c.place()});
  a.send_all(units(0, 3, 900));
  b.send_all(units(1, 3, 900));
  c.send_all(units(2, 3, 900));
  ReaderOptions options = dispatcher.options();
  options.memory_bytes = 64u << 10;
  auto reader = open(options);
  expect_all(*reader, 0, 1, 900);
}

TEST(Reader, TakesOnlyItsRankAndStartsWhereItIsTold) {
  const FeedScript script{.batches_per_epoch = 20};
  ScriptedWorker worker(script, 1);
  ScriptedDispatcher dispatcher(script, {worker.place()});
  ReaderOptions options = dispatcher.options();
  options.rank = 1;
  options.ranks = 3;
  options.from = {0, 5};
  auto reader = open(options);
  EXPECT_EQ(reader->position(), (Unit{0, 7}));
  worker.send_all(units(7, 3, 20));
  expect_all(*reader, 7, 3, 20);
}

TEST(Reader, DropsDuplicates) {
  const FeedScript script{.batches_per_epoch = 4};
  ScriptedWorker worker(script, 1);
  ScriptedDispatcher dispatcher(script, {worker.place()});
  worker.send_all({{0, 0}, {0, 0}, {0, 2}, {0, 2}, {0, 1}, {0, 0}, {0, 3}});
  auto reader = open(dispatcher.options());
  expect_all(*reader, 0, 1, 4);
  EXPECT_EQ(reader->statistics().duplicates, 3u);
}

TEST(Reader, TakesAShorterLastBatch) {
  const FeedScript script{.batches_per_epoch = 1};
  ScriptedWorker worker(script, 1);
  ScriptedDispatcher dispatcher(script, {worker.place()});
  auto reader = open(dispatcher.options());
  ASSERT_TRUE(worker.send(*worker.reader(), {0, 0}, {}, 5));
  auto batch = reader->next();
  ASSERT_TRUE(batch.has_value() && batch->has_value());
  EXPECT_EQ((*batch)->samples(), 5u);
  EXPECT_EQ((*batch)->tensors()[0].shape, (std::vector<std::uint64_t>{5, 64}));
}

TEST(Reader, NamesTheUnitThatFailedAndGoesOn) {
  const FeedScript script{.batches_per_epoch = 2};
  ScriptedWorker worker(script, 7);
  ScriptedDispatcher dispatcher(script, {worker.place()});
  auto reader = open(dispatcher.options());
  auto out = worker.reader();
  ASSERT_TRUE(out->fail({.feed = 1, .generation = 1, .attempt = 0, .unit = {0, 0}, .worker = 7,
                         .samples = {12, 13}, .message = "no JPEG"}));
  ASSERT_TRUE(worker.send(*out, {0, 1}));
  auto failed = reader->next();
  ASSERT_FALSE(failed.has_value());
  EXPECT_THAT(failed.error().message, testing::HasSubstr("worker 7"));
  EXPECT_THAT(failed.error().message, testing::HasSubstr("epoch 0, batch 0, samples 12, 13: no JPEG"));
  ASSERT_TRUE(reader->failed_unit());
  EXPECT_EQ(reader->failed_unit()->unit, (Unit{0, 0}));
  EXPECT_EQ(reader->failed_unit()->samples, (std::vector<std::uint64_t>{12, 13}));
  EXPECT_EQ(reader->failed_unit()->worker, 7u);
  EXPECT_EQ(reader->failed_unit()->error, failed.error());
  auto batch = reader->next();
  ASSERT_TRUE(batch.has_value() && batch->has_value());
  EXPECT_EQ((*batch)->index(), 1u);
  EXPECT_FALSE(reader->failed_unit());
}

TEST(Reader, WaitsForABatchAnErrorTheEndOrItsClosing) {
  const FeedScript script{.batches_per_epoch = 2};
  ScriptedWorker worker(script, 7);
  ScriptedDispatcher dispatcher(script, {worker.place()});
  auto reader = open(dispatcher.options());
  auto out = worker.reader();
  EXPECT_FALSE(reader->wait(std::chrono::milliseconds(1)));
  ASSERT_TRUE(worker.send(*out, {0, 0}));
  ASSERT_TRUE(reader->wait(std::chrono::minutes(1)));
  ASSERT_TRUE(reader->next());
  ASSERT_TRUE(out->fail({.feed = 1, .generation = 1, .attempt = 0, .unit = {0, 1}, .worker = 7,
                         .samples = {}, .message = "no JPEG"}));
  ASSERT_TRUE(reader->wait(std::chrono::minutes(1)));
  EXPECT_FALSE(reader->next());
  ASSERT_TRUE(reader->wait(std::chrono::minutes(1)));
  auto end = reader->next();
  EXPECT_TRUE(end && !end->has_value());
  reader->close();
  EXPECT_TRUE(reader->wait(std::chrono::minutes(1)));
  EXPECT_EQ(reader->next().error().code, ErrorCode::kCancelled);
}

TEST(Reader, ChecksTheBodyWhereItHasAChecksum) {
  const FeedScript script{.row_bytes = 1'000,
                          .batches_per_epoch = 50,
                          .checksum = transport::BodyChecksum::kCrc32c};
  ScriptedWorker worker(script, 1);
  ScriptedDispatcher dispatcher(script, {worker.place()});
  worker.send_all(units(0, 1, 50));
  auto reader = open(dispatcher.options());
  expect_all(*reader, 0, 1, 50);
}

TEST(Reader, RefusedByTheDispatcherSaysWhy) {
  const FeedScript script{.token = "right"};
  ScriptedDispatcher dispatcher(script, {});
  ReaderOptions options = dispatcher.options();
  options.token = "wrong";
  auto reader = Reader::open(options, kClock);
  ASSERT_FALSE(reader.has_value());
  EXPECT_EQ(reader.error().code, ErrorCode::kPermissionDenied);
  options.token = "right";
  options.feed = "refused";
  reader = Reader::open(options, kClock);
  ASSERT_FALSE(reader.has_value());
  EXPECT_THAT(reader.error().message, testing::HasSubstr("there is no such feed"));
}

TEST(Reader, OpeningEndsWhenItIsStopped) {
  const os::UniqueFd silent(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)},
                      .sin_zero = {}};
  socklen_t length = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(::bind(silent.get(), generic, length), 0);
  ASSERT_EQ(::listen(silent.get(), 1), 0);
  ASSERT_EQ(::getsockname(silent.get(), generic, &length), 0);
  std::stop_source stop;
  std::jthread stopper([&] { stop.request_stop(); });
  auto reader = Reader::open(
      {.dispatcher = "127.0.0.1:" + std::to_string(ntohs(address.sin_port)),
       .connect_timeout = std::chrono::hours(1)}, kClock, stop.get_token());
  ASSERT_FALSE(reader.has_value());
  EXPECT_EQ(reader.error().code, ErrorCode::kCancelled);
}

TEST(Reader, CloseWakesNextAndTakesLittleTime) {
  const FeedScript script;
  ScriptedWorker worker(script, 1);
  ScriptedDispatcher dispatcher(script, {worker.place()});
  auto reader = open(dispatcher.options());
  worker.reader();
  std::jthread closer([&] { reader->close(); });
  auto batch = reader->next();
  ASSERT_FALSE(batch.has_value());
  EXPECT_EQ(batch.error().code, ErrorCode::kCancelled);
}

TEST(Reader, ABatchOutlivesItsReader) {
  const FeedScript script{.row_bytes = 20'000, .batches_per_epoch = 3};
  ScriptedWorker worker(script, 1, ScriptedWorker::Door::kBoth);
  ScriptedDispatcher dispatcher(script, {worker.place()});
  worker.send_all(units(0, 1, 3));
  auto reader = open(dispatcher.options());
  auto batch = reader->next();
  ASSERT_TRUE(batch.has_value() && batch->has_value());
  reader.reset();
  EXPECT_TRUE(holds(**batch));
}

}  // namespace
}  // namespace evener::data::client
