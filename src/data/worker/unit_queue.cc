#include "data/worker/unit_queue.h"

#include <algorithm>

#include "base/check.h"

namespace evener::data::worker {

// ---- feeds and leases --------------------------------------------------------------------------

void UnitQueue::add_feed(std::uint32_t feed, std::uint32_t generation, std::uint32_t ranks,
                         std::shared_ptr<const Program> program) {
  remove_feed(feed);
  const MutexLock lock(mutex_);
  feeds_[feed] = {.generation = generation, .ranks = ranks, .program = std::move(program),
                  .by_rank = {}};
}

void UnitQueue::remove_feed(std::uint32_t feed) {
  std::vector<std::shared_ptr<transport::Outgoing>> streams;
  {
    const MutexLock lock(mutex_);
    const auto found = feeds_.find(feed);
    if (found == feeds_.end()) return;
    for (auto& [number, rank] : found->second.by_rank) {
      leases_ -= rank.leases.size();
      for (auto& [unit, leased] : rank.leases)
        if (leased.reads) drop_reads(*leased.reads);
      if (rank.stream) streams.push_back(rank.stream);
    }
    feeds_.erase(found);
    cancel([feed](const Work& work) { return work.feed == feed; });
    changed();
  }
  drop_retired();
  for (const auto& stream : streams) stream->close();
}

Status UnitQueue::lease(const transport::LeaseRange& range) {
  const MutexLock lock(mutex_);
  const auto found = feeds_.find(range.feed);
  // What was leased before a new generation, or after the end of a feed, is nobody's any more.
  if (found == feeds_.end() || found->second.generation != range.generation) return ok();
  if (leases_ + range.units > kMaxLeases)
    return failure(ErrorCode::kLimitExceeded, "more than " + std::to_string(kMaxLeases) + " leases");
  const std::uint32_t ranks = found->second.ranks;
  const auto& program = *found->second.program;
  Rank& rank = found->second.by_rank[static_cast<std::uint32_t>(range.first.batch % ranks)];
  for (std::uint32_t i = 0; i < range.units; ++i) {
    const Unit unit{range.first.epoch, range.first.batch + std::uint64_t{i} * ranks};
    if (unit.batch >= program.batches_per_epoch())
      return failure(ErrorCode::kInvalidArgument, "a lease of " + to_string(unit) + " of " +
                                                      std::to_string(program.batches_per_epoch()));
    const auto [at, is_new] = rank.leases.try_emplace(unit);
    at->second.attempt = range.attempt;
    if (is_new) ++leases_;
  }
  // A lower unit than the one that found no room may have room of its own.
  rank.blocked = false;
  changed();
  read_wake_.notify_all();
  return ok();
}

void UnitQueue::revoke(const transport::LeaseRange& range) {
  const MutexLock lock(mutex_);
  const auto found = feeds_.find(range.feed);
  if (found == feeds_.end() || found->second.generation != range.generation) return;
  const std::uint32_t ranks = found->second.ranks;
  Rank& rank = found->second.by_rank[static_cast<std::uint32_t>(range.first.batch % ranks)];
  for (std::uint32_t i = 0; i < range.units; ++i) {
    const auto at = rank.leases.find({range.first.epoch, range.first.batch + std::uint64_t{i} * ranks});
    if (at == rank.leases.end()) continue;
    if (at->second.reads) drop_reads(*at->second.reads);
    rank.leases.erase(at);
    --leases_;
  }
  rank.blocked = false;
  changed();
}

void UnitQueue::forget_leases() {
  const MutexLock lock(mutex_);
  for (auto& [id, feed] : feeds_) {
    for (auto& [number, rank] : feed.by_rank) {
      leases_ -= rank.leases.size();
      for (auto& [unit, leased] : rank.leases)
        if (leased.reads) drop_reads(*leased.reads);
      rank.leases.clear();
    }
  }
}

// ---- readers -----------------------------------------------------------------------------------

Result<transport::FeedShape> UnitQueue::admit(const transport::StreamHello& hello) const {
  const MutexLock lock(mutex_);
  const auto found = feeds_.find(hello.feed);
  if (found == feeds_.end())
    return failure(ErrorCode::kUnavailable, "this worker has no feed " + std::to_string(hello.feed));
  const Feed& feed = found->second;
  if (hello.generation > feed.generation)
    return failure(ErrorCode::kUnavailable, "this worker does not know generation " +
                                                std::to_string(hello.generation) + " yet");
  if (hello.generation < feed.generation)
    return failure(ErrorCode::kPermissionDenied,
                   "generation " + std::to_string(hello.generation) +
                       " of the readers was replaced by " + std::to_string(feed.generation));
  if (hello.rank >= feed.ranks)
    return failure(ErrorCode::kInvalidArgument, "rank " + std::to_string(hello.rank) + " of " +
                                                    std::to_string(feed.ranks) + " ranks");
  return transport::FeedShape{feed.program->schema(), feed.program->definition().batch_size};
}

UnitQueue::Rank* UnitQueue::rank_of(const transport::StreamHello& hello) {
  const auto found = feeds_.find(hello.feed);
  if (found == feeds_.end() || found->second.generation != hello.generation) return nullptr;
  return &found->second.by_rank[hello.rank];
}

UnitQueue::Stream UnitQueue::add_stream(std::shared_ptr<transport::Outgoing> stream) {
  std::shared_ptr<transport::Outgoing> before;
  Stream which = Stream::kFirst;
  {
    const MutexLock lock(mutex_);
    Rank* rank = rank_of(stream->hello());
    if (rank == nullptr) {
      before = std::move(stream);          // the feed went away meanwhile
    } else {
      if (rank->had_stream) {
        which = Stream::kSecond;
        leases_ -= rank->leases.size();
        for (auto& [unit, leased] : rank->leases)
          if (leased.reads) drop_reads(*leased.reads);
        rank->leases.clear();
      }
      before = std::exchange(rank->stream, std::move(stream));
      rank->had_stream = true;
      rank->blocked = false;
      if (before) cancel([&](const Work& work) { return work.stream == before; });
      changed();
      read_wake_.notify_all();
    }
  }
  drop_retired();
  if (before) before->close();
  return which;
}

void UnitQueue::remove_stream(const std::shared_ptr<transport::Outgoing>& stream) {
  {
    const MutexLock lock(mutex_);
    Rank* rank = rank_of(stream->hello());
    if (rank != nullptr && rank->stream == stream) rank->stream.reset();
    cancel([&](const Work& work) { return work.stream == stream; });
    changed();
  }
  drop_retired();
}

void UnitQueue::credit(const std::shared_ptr<transport::Outgoing>& stream) {
  const MutexLock lock(mutex_);
  Rank* rank = rank_of(stream->hello());
  if (rank == nullptr || rank->stream != stream) return;
  ++rank->credits;
  if (!rank->blocked) return;
  rank->blocked = false;
  changed();
}

// Rows that nobody has begun will not be.
void UnitQueue::cancel(const std::function<bool(const Work&)>& concerns) {
  std::erase_if(open_, [&](const std::shared_ptr<Work>& work) {
    if (!concerns(*work)) return false;
    if (!work->error) work->error = Error{ErrorCode::kCancelled, "its reader is gone"};
    work->unfinished -= work->slots - work->next;
    work->next = work->slots;
    if (work->reads) drop_reads(*work->reads);
    if (work->unfinished == 0) retired_.push_back(work);
    return work->unfinished == 0;
  });
}

void UnitQueue::drop_retired() {
  std::vector<std::shared_ptr<const void>> dropped;   // ends behind the lock
  const MutexLock lock(mutex_);
  dropped.swap(retired_);
}

// ---- compute threads ---------------------------------------------------------------------------

std::optional<Task> UnitQueue::next(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    drop_retired();
    const MutexLock lock(mutex_);
    const bool claimable =
        std::ranges::any_of(open_, [](const auto& work) { return work->next < work->slots; });
    if (claimable) return claim(stop);
    if (const auto key = next_to_open()) {
      open(*key);
    } else {
      wait_for_work(stop);
    }
  }
  return std::nullopt;
}

Task UnitQueue::claim(const std::stop_token& stop) {
  const auto found =
      std::ranges::find_if(open_, [](const auto& work) { return work->next < work->slots; });
  Task task{.work = *found, .first = (*found)->next};
  Work& work = *task.work;
  if (!work.reads) task.count = std::min(work.program->grain(), work.slots - work.next);
  work.next += task.count;
  if (work.reads) task.reading = take_read(work, task.first, stop);
  return task;
}

void UnitQueue::wait_for_work(const std::stop_token& stop) {
  const MonotonicTime begin = clock_.monotonic_now();
  const bool blocked = some_rank_is_blocked();
  const std::uint64_t seen = changes_;
  wake_.wait(mutex_, stop, [&] { return changes_ != seen; });
  const auto waited = static_cast<std::uint64_t>((clock_.monotonic_now() - begin).count());
  (blocked ? totals_.credit_wait_ns : totals_.lease_wait_ns) += waited;
}

bool UnitQueue::some_rank_is_blocked() const {
  for (const auto& [id, feed] : feeds_)
    for (const auto& [number, rank] : feed.by_rank)
      if (rank.blocked && !rank.leases.empty()) return true;
  return false;
}

UnitQueue::Rank* UnitQueue::find_rank(RankKey key) {
  const auto feed = feeds_.find(key.first);
  if (feed == feeds_.end()) return nullptr;
  const auto rank = feed->second.by_rank.find(key.second);
  return rank == feed->second.by_rank.end() ? nullptr : &rank->second;
}

// The first behind the one that had its turn, else the first of all.
std::optional<UnitQueue::RankKey> UnitQueue::next_to_open() {
  std::optional<RankKey> first;
  for (const auto& [id, feed] : feeds_) {
    for (const auto& [number, rank] : feed.by_rank) {
      if (!rank.stream || rank.leases.empty() || rank.opening || rank.blocked) continue;
      const RankKey key{id, number};
      if (key > last_opened_) return key;
      if (!first) first = key;
    }
  }
  return first;
}

void UnitQueue::open(RankKey key) {
  Rank* rank = find_rank(key);
  rank->opening = true;
  last_opened_ = key;
  const Unit unit = rank->leases.begin()->first;
  const std::shared_ptr<transport::Outgoing> stream = rank->stream;
  retired_.push_back(stream);
  const std::uint64_t credits = rank->credits;
  const std::uint64_t bytes = feeds_.at(key.first).program->body_bytes();
  mutex_.unlock();
  auto slot = stream->try_reserve(unit, bytes);
  mutex_.lock();
  rank = find_rank(key);
  if (rank != nullptr) rank->opening = false;
  if (rank == nullptr || rank->stream != stream) {
    if (slot && *slot) retired_.push_back(std::make_shared<transport::Slot>(std::move(**slot)));
    changed();
    return;
  }
  if (!slot) {
    rank->stream.reset();          // gone; remove_stream() follows
  } else if (*slot) {
    begin(key, unit, std::move(**slot));
  } else if (rank->credits == credits && !rank->leases.empty() &&
             rank->leases.begin()->first == unit) {
    rank->blocked = true;
    return;
  }
  changed();
}

void UnitQueue::begin(RankKey key, Unit unit, transport::Slot slot) {
  Feed& feed = feeds_.at(key.first);
  Rank& rank = feed.by_rank.at(key.second);
  const auto leased = rank.leases.find(unit);
  if (leased == rank.leases.end()) {             // taken back meanwhile
    retired_.push_back(std::make_shared<transport::Slot>(std::move(slot)));
    return;
  }
  auto work = std::make_shared<Work>();
  work->feed = key.first;
  work->generation = feed.generation;
  work->attempt = leased->second.attempt;
  work->unit = unit;
  work->program = feed.program;
  work->stream = rank.stream;
  work->slot = std::move(slot);
  work->slots = feed.program->slots(unit);
  work->unfinished = work->slots;
  work->reads = std::move(leased->second.reads);
  rank.leases.erase(leased);
  --leases_;
  open_.push_back(std::move(work));
}

std::shared_ptr<Work> UnitQueue::finished(Task task, TaskResult result, pipeline::Lane& lane) {
  const MutexLock lock(mutex_);
  totals_.read_busy_ns += static_cast<std::uint64_t>(lane.times.read.count());
  totals_.decode_busy_ns += static_cast<std::uint64_t>(lane.times.make.count());
  totals_.samples += lane.times.samples;
  totals_.read_bytes += lane.times.read_bytes;
  policy_.count_made(lane.times.make);
  if (!task.reading && policy_.count_read(lane.times.read)) changed();
  lane.times = {};
  totals_.faulty_samples += lane.faults.size();
  for (pipeline::Fault& fault : lane.faults) {
    if (totals_.faults.size() == statistics::kMaxFaults) totals_.faults.erase(totals_.faults.begin());
    totals_.faults.push_back({std::move(fault.id), std::move(fault.message)});
  }
  lane.faults.clear();
  if (task.reading) keep_spare(std::move(task.reading));
  Work& work = *task.work;
  work.unfinished -= task.count;
  work.skipped.insert(work.skipped.end(), result.skipped.begin(), result.skipped.end());
  if (result.error && !work.error) {
    work.error = std::move(result.error);
    work.failed_samples = std::move(result.failed_samples);
    work.unfinished -= work.slots - work.next;
    work.next = work.slots;
    if (work.reads) drop_reads(*work.reads);
  }
  if (work.unfinished > 0) return nullptr;
  std::erase(open_, task.work);
  if (!work.error && work.skipped.size() == work.slots)
    work.error = Error{ErrorCode::kCorrupt, "none of its samples could be made"};
  if (work.error && work.error->code != ErrorCode::kCancelled) ++totals_.failed_units;
  return std::move(task.work);
}

void UnitQueue::sent(const Work&, std::uint64_t body_bytes) {
  const MutexLock lock(mutex_);
  ++totals_.sent_units;
  totals_.sent_bytes += body_bytes;
}

statistics::Worker UnitQueue::statistics() const {
  const MutexLock lock(mutex_);
  statistics::Worker now = totals_;
  now.threads = threads_;
  now.elapsed_ns = static_cast<std::uint64_t>((clock_.monotonic_now() - started_).count());
  now.leased_units = leases_;
  now.open_units = open_.size();
  now.read_ahead_samples = reads_held_;
  for (const auto& [id, feed] : feeds_)
    for (const auto& [number, rank] : feed.by_rank) now.readers += rank.stream != nullptr;
  return now;
}

}  // namespace evener::data::worker
