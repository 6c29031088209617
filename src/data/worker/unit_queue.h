// What a worker is to make and for whom: feeds, leases, streams of readers, and the units that are
// begun. Hands rows of units to compute threads, a unit's rows to all of them.
//
// A unit is begun only once its reader has room, the lowest leased one of each rank first; ranks
// take turns. Rows of units that were begun come before new units, so that few are begun at a time.
//
// Used by:  worker.cc.
// Threads:  all; one mutex. No call of a stream is made under it.
// Fails:    admit: kUnavailable for a feed or generation that is not known yet, kPermissionDenied for
//           an old generation. lease: kLimitExceeded.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "data/pipeline/pipeline.h"
#include "data/statistics/statistics.h"
#include "data/transport/transport.h"
#include "data/worker/read_policy.h"

namespace evener::data::worker {

using pipeline::Program;
using transport::Unit;

inline constexpr std::size_t kMaxLeases = 4'000'000;     // of all feeds
inline constexpr std::size_t kReadAheadUnits = 64;       // of a rank

// Buffers that are kept for samples to come; larger ones are given back.
inline constexpr std::size_t kSpareBytes = 512u << 10;
inline constexpr std::size_t kSpares = 128;

using ReadingPointer = std::unique_ptr<sources::Reading>;

// The samples of one unit that are read before a compute thread asks for them.
struct Reads {
  enum class State { kNone, kReading, kReady, kGone };
  struct Read {
    State state = State::kNone;
    ReadingPointer reading{};
  };
  std::vector<Read> reads;
  std::uint32_t next = 0;                                // the first that nobody has begun
};

// A unit that is begun.
struct Work {
  std::uint32_t feed = 0;
  std::uint32_t generation = 0;
  std::uint32_t attempt = 0;
  Unit unit;
  std::shared_ptr<const Program> program;
  std::shared_ptr<transport::Outgoing> stream;
  transport::Slot slot;
  std::uint32_t slots = 0;
  // Guarded by the queue's mutex:
  std::uint32_t next = 0;                                // the first row that no thread has
  std::uint32_t unfinished = 0;
  std::vector<std::uint32_t> skipped;
  std::shared_ptr<Reads> reads;
  std::optional<Error> error;                            // kCancelled: nobody wants it any more
  std::vector<std::uint64_t> failed_samples;
};

// Rows first, first + 1, ... of a unit.
struct Task {
  std::shared_ptr<Work> work;
  std::uint32_t first = 0;
  std::uint32_t count = 1;
  ReadingPointer reading{};                              // the row's bytes, if they were read ahead
};

struct TaskResult {
  std::vector<std::uint32_t> skipped;
  std::optional<Error> error;
  std::vector<std::uint64_t> failed_samples;
};

// One sample that is to be read ahead.
struct ReadOrder {
  std::shared_ptr<const Program> program;
  std::shared_ptr<Reads> reads;
  Unit unit;
  std::uint32_t slot = 0;
  ReadingPointer reading;
};

class UnitQueue {
 public:
  UnitQueue(const Clock& clock, std::uint32_t threads, ReadLimits limits)
      : clock_(clock), threads_(threads), started_(clock.monotonic_now()), limits_(limits) {}

  // Feeds and leases: from the dispatcher.
  void add_feed(std::uint32_t feed, std::uint32_t generation, std::uint32_t ranks,
                std::shared_ptr<const Program> program);
  void remove_feed(std::uint32_t feed);
  Status lease(const transport::LeaseRange& range);
  void revoke(const transport::LeaseRange& range);
  void forget_leases();                                  // of all feeds: a new dispatcher's life

  // Readers: from the data server.
  Result<transport::FeedShape> admit(const transport::StreamHello& hello) const;
  // kSecond: the rank had a stream before, and what was sent on it may be lost.
  enum class Stream { kFirst, kSecond };
  Stream add_stream(std::shared_ptr<transport::Outgoing> stream);
  void remove_stream(const std::shared_ptr<transport::Outgoing>& stream);
  void credit(const std::shared_ptr<transport::Outgoing>& stream);

  // Compute threads: waits for rows; nothing once stopped.
  std::optional<Task> next(const std::stop_token& stop);
  // Answers the unit if these were its last rows. Takes the lane's times and faults.
  std::shared_ptr<Work> finished(Task task, TaskResult result, pipeline::Lane& lane);
  void sent(const Work& work, std::uint64_t body_bytes);

  // Read-ahead threads, the same.
  std::optional<ReadOrder> next_read(const std::stop_token& stop);
  void was_read(ReadOrder order, Status status, std::chrono::nanoseconds took);

  statistics::Worker statistics() const;

 private:
  struct Leased {
    std::uint32_t attempt = 0;
    std::shared_ptr<Reads> reads{};
  };
  struct Rank {
    std::map<Unit, Leased> leases;
    std::shared_ptr<transport::Outgoing> stream;
    bool had_stream = false;
    bool opening = false;                                // a thread asks for room
    bool blocked = false;                                // there was none
    std::uint64_t credits = 0;                           // how often room came
  };
  struct Feed {
    std::uint32_t generation = 0;
    std::uint32_t ranks = 1;
    std::shared_ptr<const Program> program;
    std::map<std::uint32_t, Rank> by_rank;
  };
  using RankKey = std::pair<std::uint32_t, std::uint32_t>;  // feed, rank

  Rank* find_rank(RankKey key) REQUIRES(mutex_);
  Rank* rank_of(const transport::StreamHello& hello) REQUIRES(mutex_);
  void cancel(const std::function<bool(const Work&)>& concerns) REQUIRES(mutex_);
  std::optional<RankKey> next_to_open() REQUIRES(mutex_);
  // Unlocks while it asks for room.
  void open(RankKey key) REQUIRES(mutex_);
  void begin(RankKey key, Unit unit, transport::Slot slot) REQUIRES(mutex_);
  Task claim(const std::stop_token& stop) REQUIRES(mutex_);
  ReadingPointer take_read(Work& work, std::uint32_t slot, const std::stop_token& stop)
      REQUIRES(mutex_);
  void wait_for_work(const std::stop_token& stop) REQUIRES(mutex_);
  bool some_rank_is_blocked() const REQUIRES(mutex_);
  std::optional<ReadOrder> find_read() REQUIRES(mutex_);
  std::optional<ReadOrder> order_read(const std::shared_ptr<const Program>& program, Unit unit,
                                      std::shared_ptr<Reads>& reads, std::uint32_t from)
      REQUIRES(mutex_);
  void drop_reads(Reads& reads) REQUIRES(mutex_);
  void keep_spare(ReadingPointer reading) REQUIRES(mutex_);
  void changed() REQUIRES(mutex_) {
    ++changes_;
    wake_.notify_all();
    if (policy_.reads_ahead()) read_wake_.notify_all();
  }
  // Streams and slots end without the mutex: they have locks of their own.
  void drop_retired();

  const Clock& clock_;
  const std::uint32_t threads_;
  const MonotonicTime started_;
  const ReadLimits limits_;
  mutable Mutex mutex_;
  std::condition_variable_any wake_;                     // of compute threads
  std::condition_variable_any read_wake_;                // of read-ahead threads
  std::uint64_t changes_ GUARDED_BY(mutex_) = 0;
  std::map<std::uint32_t, Feed> feeds_ GUARDED_BY(mutex_);
  std::size_t leases_ GUARDED_BY(mutex_) = 0;
  RankKey last_opened_ GUARDED_BY(mutex_){0, 0};
  std::vector<std::shared_ptr<Work>> open_ GUARDED_BY(mutex_);   // begun and not finished, in order
  std::vector<std::shared_ptr<const void>> retired_ GUARDED_BY(mutex_);
  ReadPolicy policy_ GUARDED_BY(mutex_);
  std::uint64_t read_bytes_held_ GUARDED_BY(mutex_) = 0;
  std::size_t reads_held_ GUARDED_BY(mutex_) = 0;        // reading or ready
  std::vector<ReadingPointer> spare_ GUARDED_BY(mutex_);
  statistics::Worker totals_ GUARDED_BY(mutex_);
};

}  // namespace evener::data::worker
