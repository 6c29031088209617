#include "data/worker/unit_queue.h"

#include <gtest/gtest.h>

namespace evener::data::worker {
namespace {

using transport::LeaseRange;

// A reader with room for so many bodies.
class FakeStream final : public transport::Outgoing,
                         public transport::Slot::Owner,
                         public std::enable_shared_from_this<FakeStream> {
 public:
  FakeStream(std::uint32_t rank, int room) : room_(room) {
    hello_.feed = 1;
    hello_.generation = 1;
    hello_.rank = rank;
  }
  const transport::StreamHello& hello() const override { return hello_; }
  std::uint64_t number() const override { return hello_.rank; }
  Result<std::optional<transport::Slot>> try_reserve(Unit unit, std::uint64_t bytes) override {
    const MutexLock lock(mutex_);
    ++asked_;
    if (room_ == 0 && only_ != unit) return std::optional<transport::Slot>();
    if (room_ > 0) --room_;
    return std::optional<transport::Slot>(
        transport::Slot(shared_from_this(), memory_.data(), bytes, 0));
  }
  Result<transport::Slot> reserve(Unit, std::uint64_t, std::stop_token) override {
    return failure(ErrorCode::kUnsupported, "");
  }
  Status send(const transport::FrameHeader&, transport::Slot) override { return ok(); }
  Status fail(const transport::Failed&) override { return ok(); }
  transport::OutgoingStatistics statistics() const override { return {}; }
  void close() override { closed = true; }
  void drop(transport::Slot& slot) override {
    const MutexLock lock(mutex_);
    ++room_;
    slot.release();
  }

  void give_room() {
    const MutexLock lock(mutex_);
    ++room_;
  }
  void give_room_for(Unit unit) {
    const MutexLock lock(mutex_);
    only_ = unit;
  }
  void wait_until_asked() const {
    while (true) {
      const MutexLock lock(mutex_);
      if (asked_ > 0) return;
    }
  }
  bool closed = false;

 private:
  mutable Mutex mutex_;
  int room_ GUARDED_BY(mutex_);
  std::optional<Unit> only_ GUARDED_BY(mutex_);
  int asked_ GUARDED_BY(mutex_) = 0;
  transport::StreamHello hello_;
  std::vector<std::byte> memory_ = std::vector<std::byte>(4096);
};

const std::string kPipeline = R"(shuffle = false
[source]
kind = "records"
location = "/r"
fields = [{name = "x", type = "uint8", shape = [16]}]
[batch]
size = 4
)";

class UnitQueueTest : public testing::Test {
 protected:
  UnitQueueTest() {
    stores_.add("file", storage::make_file_store(*files_));
    EXPECT_TRUE(files_->make_directories("/r"));
    EXPECT_TRUE(os::write_text(*files_, "/r/a.bin", std::string(16 * 80, 'x')));   // 20 batches
    auto definition = pipeline::read_toml_definition(kPipeline, "p.toml", "/");
    program_ = Program::compile(*definition, stores_).value();
    queue_.add_feed(1, 1, 2, program_);
  }
  std::shared_ptr<FakeStream> stream(std::uint32_t rank, int room) {
    auto made = std::make_shared<FakeStream>(rank, room);
    second_ = queue_.add_stream(made);
    return made;
  }
  void lease(std::uint64_t first, std::uint32_t units, std::uint32_t attempt = 0) {
    EXPECT_TRUE(queue_.lease({.feed = 1, .generation = 1, .attempt = attempt, .first = {0, first},
                              .units = units}));
  }
  Task next() { return std::move(queue_.next({}).value()); }
  std::shared_ptr<Work> finish(Task task, TaskResult result = {}) {
    return queue_.finished(std::move(task), std::move(result), lane_);
  }

  FakeClock clock_{from_millis(1)};
  std::unique_ptr<os::FileSystem> files_ = os::make_memory_file_system(clock_);
  storage::StoreSet stores_;
  std::shared_ptr<const Program> program_;
  UnitQueue queue_{clock_, 1, {.bytes = 1 << 20, .samples = 100}};
  pipeline::Lane lane_{clock_};
  UnitQueue::Stream second_ = UnitQueue::Stream::kFirst;
};

TEST_F(UnitQueueTest, BeginsTheLowestUnitOfEachRankInTurn) {
  const auto zero = stream(0, 10);
  const auto one = stream(1, 10);
  lease(2, 2);     // of rank 0: batches 2, 4
  lease(1, 2);     // of rank 1: batches 1, 3
  lease(0, 1, 3);
  std::vector<Unit> units;
  for (int i = 0; i < 5; ++i) {
    Task task = next();
    EXPECT_EQ(task.count, 4u);     // small rows: a thread takes all of them
    units.push_back(task.work->unit);
    EXPECT_TRUE(finish(std::move(task)));
  }
  EXPECT_EQ(units, (std::vector<Unit>{{0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}}));
  EXPECT_EQ(queue_.statistics().leased_units, 0u);
}

TEST_F(UnitQueueTest, AsksAgainOnceThereIsRoom) {
  const auto reader = stream(0, 0);
  lease(0, 1);
  std::jthread wakes([&] {
    reader->wait_until_asked();
    queue_.credit(reader);                      // no more room yet
    reader->give_room();
    queue_.credit(reader);
  });
  EXPECT_EQ(next().work->unit, (Unit{0, 0}));
}

// The reader waits for it and gave it room, while a later unit found none.
TEST_F(UnitQueueTest, AsksForALowerUnitThatIsLeasedLater) {
  const auto reader = stream(0, 0);
  lease(4, 1);
  std::jthread leases([&] {
    reader->wait_until_asked();
    reader->give_room_for({0, 2});
    lease(2, 1, 1);
  });
  EXPECT_EQ(next().work->unit, (Unit{0, 2}));
}

TEST_F(UnitQueueTest, StopsWhenTold) {
  std::stop_source stop;
  std::jthread stops([&] { stop.request_stop(); });
  EXPECT_FALSE(queue_.next(stop.get_token()));
}

TEST_F(UnitQueueTest, GivesUpAUnitWithARowThatFails) {
  const auto reader = stream(0, 1);
  lease(0, 1);
  Task task = next();
  TaskResult result;
  result.error = Error{ErrorCode::kCorrupt, "bad"};
  result.failed_samples = {2};
  const auto work = finish(std::move(task), std::move(result));
  ASSERT_TRUE(work);
  EXPECT_EQ(work->error->message, "bad");
  EXPECT_EQ(work->failed_samples, std::vector<std::uint64_t>{2});
  EXPECT_EQ(queue_.statistics().failed_units, 1u);
}

TEST_F(UnitQueueTest, FailsABatchWithoutASample) {
  const auto reader = stream(0, 1);
  lease(0, 1);
  TaskResult result;
  result.skipped = {0, 1, 2, 3};
  EXPECT_EQ(finish(next(), std::move(result))->error->message, "none of its samples could be made");
}

TEST_F(UnitQueueTest, ForgetsTheUnitsOfAReaderThatIsGone) {
  const auto reader = stream(0, 1);
  lease(0, 1);
  Task task = next();
  queue_.remove_stream(reader);
  EXPECT_EQ(queue_.statistics().readers, 0u);
  const auto work = finish(std::move(task));
  ASSERT_TRUE(work);
  EXPECT_EQ(work->error->code, ErrorCode::kCancelled);
}

TEST_F(UnitQueueTest, ClearsTheLeasesOfARankWhoseReaderComesBack) {
  const auto first = stream(0, 0);
  EXPECT_EQ(second_, UnitQueue::Stream::kFirst);
  lease(0, 3);
  const auto again = stream(0, 1);
  EXPECT_EQ(second_, UnitQueue::Stream::kSecond);
  EXPECT_TRUE(first->closed);
  EXPECT_EQ(queue_.statistics().leased_units, 0u);
}

TEST_F(UnitQueueTest, AdmitsReadersOfItsGenerationOnly) {
  const auto code = [&](std::uint32_t feed, std::uint32_t generation, std::uint32_t rank) {
    transport::StreamHello hello;
    hello.feed = feed;
    hello.generation = generation;
    hello.rank = rank;
    const auto shape = queue_.admit(hello);
    return shape ? std::string("admitted") : std::string(to_string(shape.error().code));
  };
  EXPECT_EQ(code(1, 1, 1), "admitted");
  EXPECT_EQ(code(2, 1, 1), to_string(ErrorCode::kUnavailable));
  EXPECT_EQ(code(1, 2, 1), to_string(ErrorCode::kUnavailable));
  EXPECT_EQ(code(1, 0, 1), to_string(ErrorCode::kPermissionDenied));
  EXPECT_EQ(code(1, 1, 2), to_string(ErrorCode::kInvalidArgument));
}

TEST_F(UnitQueueTest, TakesNoLeaseOfAnotherLife) {
  const auto reader = stream(0, 1);
  EXPECT_TRUE(queue_.lease({.feed = 1, .generation = 9, .attempt = 0, .first = {0, 0}, .units = 1}));
  EXPECT_TRUE(queue_.lease({.feed = 7, .generation = 1, .attempt = 0, .first = {0, 0}, .units = 1}));
  EXPECT_EQ(queue_.statistics().leased_units, 0u);
  EXPECT_FALSE(queue_.lease({.feed = 1, .generation = 1, .attempt = 0, .first = {0, 20}, .units = 1}));
  lease(0, 2);
  queue_.revoke({.feed = 1, .generation = 1, .attempt = 0, .first = {0, 0}, .units = 1});
  EXPECT_EQ(next().work->unit, (Unit{0, 2}));
  queue_.remove_feed(1);
  EXPECT_TRUE(reader->closed);
}

TEST_F(UnitQueueTest, HandsOutWhatWasReadAhead) {
  using std::chrono::milliseconds;
  const auto reader = stream(0, 100);
  for (int i = 0; i < 16; ++i) {                 // reading takes long
    lease(0, 1);
    Task task = next();
    lane_.times.read = milliseconds(1);
    finish(std::move(task));
  }
  lease(0, 2);
  auto first = queue_.next_read({}).value();
  auto second = queue_.next_read({}).value();
  EXPECT_EQ(first.unit, (Unit{0, 0}));
  EXPECT_EQ(first.slot, 0u);
  EXPECT_EQ(second.slot, 1u);
  first.reading->take(16);
  queue_.was_read(std::move(first), ok(), milliseconds(1));
  EXPECT_EQ(queue_.statistics().read_ahead_samples, 2u);
  Task task = next();
  EXPECT_EQ(task.count, 1u);
  ASSERT_TRUE(task.reading);
  EXPECT_EQ(task.reading->size, 16u);
  queue_.was_read(std::move(second), failure(ErrorCode::kIo, "broken"), milliseconds(1));
  EXPECT_FALSE(next().reading);                  // a thread that needs it tries again
  EXPECT_FALSE(next().reading);                  // nobody has read it
  auto later = queue_.next_read({}).value();
  queue_.remove_stream(reader);
  queue_.remove_feed(1);
  later.reading->take(16);
  queue_.was_read(std::move(later), ok(), milliseconds(1));
  EXPECT_EQ(queue_.statistics().read_ahead_samples, 0u);
}

TEST(ReadPolicy, ReadsAheadWhereReadingTakesLong) {
  using std::chrono::microseconds;
  ReadPolicy policy;
  const auto samples = [&](microseconds read, microseconds made) {
    for (int i = 0; i < 16; ++i) {
      policy.count_made(made);
      policy.count_read(read);
    }
    return policy.reads_ahead();
  };
  EXPECT_FALSE(samples(microseconds(30), microseconds(1400)));
  EXPECT_TRUE(samples(microseconds(5000), microseconds(1400)));
  EXPECT_TRUE(samples(microseconds(100), microseconds(1400)));    // between the two bounds: it stays
  EXPECT_FALSE(samples(microseconds(30), microseconds(1400)));
}

}  // namespace
}  // namespace evener::data::worker
