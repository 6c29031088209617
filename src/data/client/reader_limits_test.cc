// What a reader holds, leaves behind, and does when those around it come and go.
#include <filesystem>

#include "data/client/scripted_feed_test.h"

namespace evener::data::client {
namespace {

const SystemClock kClock;

std::unique_ptr<Reader> open(const ReaderOptions& options) {
  auto reader = Reader::open(options, kClock);
  EXPECT_TRUE(reader.has_value()) << reader.error().message;
  return reader ? std::move(*reader) : nullptr;
}

std::size_t entries(const char* folder) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++count;
  return count;
}

// Looks until `done`, at most 10 s.
template <class Done>
bool soon(Done done) {
  for (int i = 0; i < 10'000; ++i) {
    if (done()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

TEST(ReaderLimits, AThousandReadersLeaveNothingBehind) {
  const FeedScript script{.row_bytes = 256, .batches_per_epoch = 1u << 20};
  ScriptedWorker worker(script, 1, ScriptedWorker::Door::kBoth);
  ScriptedDispatcher dispatcher(script, {worker.place()});
  const ReaderOptions options = dispatcher.options();
  const std::size_t descriptors = entries("/proc/self/fd");
  const std::size_t threads = entries("/proc/self/task");
  for (int round = 0; round < 1'000; ++round) {
    ReaderOptions each = options;
    each.local = round % 2 == 0 ? LocalPath::kWhenPossible : LocalPath::kNever;
    auto reader = open(each);
    ASSERT_NE(reader, nullptr);
    if (round % 10 != 0) continue;         // most are closed before they have a worker
    static_cast<void>(worker.send(*worker.reader(), {0, 0}));  // or to the one before, which is gone
  }
  EXPECT_TRUE(soon([&] {
    return entries("/proc/self/fd") == descriptors && entries("/proc/self/task") == threads;
  })) << entries("/proc/self/fd") << " descriptors, once " << descriptors;
}

TEST(ReaderLimits, AStoppedReaderHoldsNoMoreThanItsMemory) {
  for (const auto local : {LocalPath::kNever, LocalPath::kWhenPossible})
    for (const std::uint32_t row : {64u, 4'096u, 40'000u}) {
      const FeedScript script{.row_bytes = row, .batches_per_epoch = 100'000};
      ScriptedWorker a(script, 1, ScriptedWorker::Door::kBoth);
      ScriptedWorker b(script, 2, ScriptedWorker::Door::kBoth);
      ScriptedDispatcher dispatcher(script, {a.place(), b.place()});
      a.send_all(units(0, 2, 100'000));
      b.send_all(units(1, 2, 100'000));
      ReaderOptions options = dispatcher.options();
      options.memory_bytes = 4u << 20;
      options.local = local;
      auto reader = open(options);
      // Both workers are out of room and stay so.
      const std::uint64_t body = transport::layout(script.schema(), script.batch_size)->body_bytes;
      EXPECT_TRUE(soon([&] {
        return a.reader()->statistics().credit_bytes < body &&
               b.reader()->statistics().credit_bytes < body;
      })) << row;
      EXPECT_LE(reader->statistics().memory_bytes, options.memory_bytes);
      EXPECT_LE((a.reader()->statistics().frames + b.reader()->statistics().frames) * body,
                options.memory_bytes);
      auto batch = reader->next();         // and it goes on
      ASSERT_TRUE(batch.has_value() && batch->has_value());
    }
}

// All of the credit lies in later batches; the unit that is waited for still comes through.
TEST(ReaderLimits, AUnitLeasedAgainDoesNotStarveBehindLaterOnes) {
  for (const auto door : {ScriptedWorker::Door::kTcp, ScriptedWorker::Door::kBoth}) {
    const FeedScript script{.row_bytes = 10'000, .batches_per_epoch = 8};
    ScriptedWorker worker(script, 1, door);
    ScriptedDispatcher dispatcher(script, {worker.place()});
    ReaderOptions options = dispatcher.options();
    options.memory_bytes = 3 * 160'200;
    auto reader = open(options);
    auto out = worker.reader();
    std::uint64_t later = 3;
    while (true) {
      auto slot = out->try_reserve({0, later}, 160'128);
      ASSERT_TRUE(slot.has_value());
      if (!slot->has_value()) break;
      std::memset((**slot).body().data(), static_cast<int>(byte_of({0, later})), 160'128);
      ASSERT_TRUE(out->send({.samples = 16, .batch = later}, std::move(**slot)));
      ++later;
    }
    ASSERT_GT(later, 3u);
    std::vector<Unit> first{{0, 0}, {0, 1}, {0, 2}};
    for (std::uint64_t batch = later; batch < 8; ++batch) first.push_back({0, batch});
    worker.send_all(first);
    for (std::uint64_t index = 0; index < 8; ++index) {
      auto batch = reader->next();
      ASSERT_TRUE(batch.has_value() && batch->has_value());
      ASSERT_EQ((*batch)->index(), index);
      EXPECT_EQ((*batch)->tensors()[0].data[0], byte_of({0, index}));
    }
  }
}

TEST(ReaderLimits, BatchesThatAreKeptTakeNothingFromTheNext) {
  const FeedScript script{.row_bytes = 1'000, .batches_per_epoch = 50};
  ScriptedWorker worker(script, 1);
  ScriptedDispatcher dispatcher(script, {worker.place()});
  worker.send_all(units(0, 1, 50));
  ReaderOptions options = dispatcher.options();
  options.memory_bytes = 64u << 10;        // four batches
  auto reader = open(options);
  std::vector<Batch> kept;
  for (std::uint64_t index = 0; index < 50; ++index) {
    auto batch = reader->next();
    ASSERT_TRUE(batch.has_value() && batch->has_value());
    kept.push_back(std::move(**batch));
  }
  for (std::uint64_t index = 0; index < 50; ++index)
    EXPECT_EQ(kept[index].tensors()[0].data[0], byte_of({0, index}));
}

TEST(ReaderLimits, AnotherWorkerTakesOver) {
  const FeedScript script{.batches_per_epoch = 20};
  auto first = std::make_unique<ScriptedWorker>(script, 1);
  ScriptedWorker second(script, 2);
  ScriptedDispatcher dispatcher(script, {first->place()});
  auto reader = open(dispatcher.options());
  for (std::uint64_t index = 0; index < 10; ++index)
    ASSERT_TRUE(first->send(*first->reader(), {0, index}));
  auto batch = reader->next();
  ASSERT_TRUE(batch.has_value());
  first.reset();
  dispatcher.send(frame_of(transport::Workers{{second.place()}}));
  second.send_all(units(1, 1, 20));
  for (std::uint64_t index = 1; index < 20; ++index) {
    batch = reader->next();
    ASSERT_TRUE(batch.has_value() && batch->has_value()) << batch.error().message;
    ASSERT_EQ((*batch)->index(), index);
  }
}

TEST(ReaderLimits, DataFlowsWhileTheDispatcherIsAway) {
  const FeedScript script{.batches_per_epoch = 100};
  ScriptedWorker worker(script, 1);
  auto dispatcher = std::make_unique<ScriptedDispatcher>(
      script, std::vector<transport::WorkerPlace>{worker.place()});
  auto reader = open(dispatcher->options());
  auto out = worker.reader();
  ASSERT_TRUE(worker.send(*out, {0, 0}));
  ASSERT_TRUE(reader->next());
  dispatcher.reset();
  for (std::uint64_t index = 1; index < 100; ++index) {
    ASSERT_TRUE(worker.send(*out, {0, index}));
    auto batch = reader->next();
    ASSERT_TRUE(batch.has_value() && batch->has_value());
    ASSERT_EQ((*batch)->index(), index);
  }
}

TEST(ReaderLimits, AReaderComesBackToADispatcherThatWasAway) {
  const FeedScript script{.batches_per_epoch = 100};
  ScriptedWorker worker(script, 1);
  const std::vector<transport::WorkerPlace> places{worker.place()};
  auto dispatcher = std::make_unique<ScriptedDispatcher>(script, places);
  const std::uint16_t port = dispatcher->port();
  auto reader = open(dispatcher->options());
  auto out = worker.reader();
  dispatcher.reset();
  dispatcher = std::make_unique<ScriptedDispatcher>(script, places, port);
  ASSERT_TRUE(worker.send(*out, {0, 0}));
  ASSERT_TRUE(reader->next());
  ASSERT_TRUE(soon([&] { return dispatcher->hello().generation == 1; }));  // who it was before
  ASSERT_TRUE(worker.send(*out, {0, 1}));
  ASSERT_TRUE(reader->next());
  EXPECT_FALSE(reader->wait(std::chrono::milliseconds(1)));  // asks for the next: both are its own
  dispatcher->wait_ack({0, 2});
}

TEST(ReaderLimits, BatchesMayBeDroppedByOtherThreads) {
  const FeedScript script{.batches_per_epoch = 3'000};
  ScriptedWorker worker(script, 1);
  ScriptedDispatcher dispatcher(script, {worker.place()});
  worker.send_all(units(0, 1, 3'000));
  ReaderOptions options = dispatcher.options();
  options.memory_bytes = 256u << 10;
  auto reader = open(options);
  Mutex mutex;
  std::vector<Batch> shared;
  std::jthread dropper([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const MutexLock lock(mutex);
      shared.clear();
    }
  });
  for (std::uint64_t index = 0; index < 3'000; ++index) {
    auto batch = reader->next();
    ASSERT_TRUE(batch.has_value() && batch->has_value());
    const MutexLock lock(mutex);
    shared.push_back(std::move(**batch));
  }
}

}  // namespace
}  // namespace evener::data::client
