#include <algorithm>

#include "data/worker/unit_queue.h"

namespace evener::data::worker {

std::optional<ReadOrder> UnitQueue::next_read(const std::stop_token& stop) {
  MutexLock lock(mutex_);
  while (!stop.stop_requested()) {
    const bool room = reads_held_ < limits_.samples && read_bytes_held_ < limits_.bytes;
    if (policy_.reads_ahead() && room) {
      if (auto order = find_read()) return order;
    }
    const std::uint64_t seen = changes_;
    read_wake_.wait(mutex_, stop, [&] { return changes_ != seen; });
  }
  return std::nullopt;
}

// In the order in which compute threads will ask: units that are begun, then the lowest leased ones.
std::optional<ReadOrder> UnitQueue::find_read() {
  for (const auto& work : open_) {
    if (work->next >= work->slots) continue;
    if (auto order = order_read(work->program, work->unit, work->reads, work->next)) return order;
  }
  for (auto& [id, feed] : feeds_) {
    for (auto& [number, rank] : feed.by_rank) {
      if (!rank.stream) continue;
      std::size_t units = 0;
      for (auto& [unit, leased] : rank.leases) {
        if (++units > kReadAheadUnits) break;
        if (auto order = order_read(feed.program, unit, leased.reads, 0)) return order;
      }
    }
  }
  return std::nullopt;
}

std::optional<ReadOrder> UnitQueue::order_read(const std::shared_ptr<const Program>& program,
                                               Unit unit, std::shared_ptr<Reads>& reads,
                                               std::uint32_t from) {
  if (!reads) {
    reads = std::make_shared<Reads>();
    reads->reads.resize(program->slots(unit));
  }
  reads->next = std::max(reads->next, from);
  if (reads->next >= reads->reads.size()) return std::nullopt;
  Reads::Read& read = reads->reads[reads->next];
  ReadOrder order{.program = program, .reads = reads, .unit = unit, .slot = reads->next++,
                  .reading = nullptr};
  if (read.state != Reads::State::kNone) return std::nullopt;
  read.state = Reads::State::kReading;
  ++reads_held_;
  if (spare_.empty()) {
    order.reading = std::make_unique<sources::Reading>();
  } else {
    order.reading = std::move(spare_.back());
    spare_.pop_back();
  }
  return order;
}

void UnitQueue::was_read(ReadOrder order, Status status, std::chrono::nanoseconds took) {
  const MutexLock lock(mutex_);
  Reads::Read& read = order.reads->reads[order.slot];
  totals_.read_busy_ns += static_cast<std::uint64_t>(took.count());
  totals_.read_bytes += order.reading->size;
  policy_.count_read(took);
  // A read that failed is tried again by the thread that needs it, which then has the error.
  if (status && read.state == Reads::State::kReading) {
    read_bytes_held_ += order.reading->size;
    read.reading = std::move(order.reading);
    read.state = Reads::State::kReady;
  } else {
    keep_spare(std::move(order.reading));
    read.state = Reads::State::kGone;
    --reads_held_;
  }
  changed();
}

ReadingPointer UnitQueue::take_read(Work& work, std::uint32_t slot, const std::stop_token& stop) {
  // Others may drop work.reads while this thread waits.
  const std::shared_ptr<Reads> reads = work.reads;
  Reads::Read& read = reads->reads[slot];
  if (read.state == Reads::State::kReading) {
    const MonotonicTime begin = clock_.monotonic_now();
    wake_.wait(mutex_, stop, [&] { return read.state != Reads::State::kReading; });
    totals_.read_wait_ns += static_cast<std::uint64_t>((clock_.monotonic_now() - begin).count());
  }
  if (read.state != Reads::State::kReady) {
    if (read.state == Reads::State::kNone) read.state = Reads::State::kGone;
    return nullptr;
  }
  read.state = Reads::State::kGone;
  --reads_held_;
  read_bytes_held_ -= read.reading->size;
  ++changes_;
  read_wake_.notify_one();
  return std::move(read.reading);
}

void UnitQueue::keep_spare(ReadingPointer reading) {
  if (reading->memory.size() <= kSpareBytes && spare_.size() < kSpares)
    spare_.push_back(std::move(reading));
}

void UnitQueue::drop_reads(Reads& reads) {
  for (Reads::Read& read : reads.reads) {
    if (read.state == Reads::State::kReady) {
      --reads_held_;
      read_bytes_held_ -= read.reading->size;
      keep_spare(std::move(read.reading));
    }
    // One that is being read is counted down by its reader.
    read.state = Reads::State::kGone;
  }
  reads.next = static_cast<std::uint32_t>(reads.reads.size());
}

}  // namespace evener::data::worker
