#include "data/dispatcher/leases.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace evener::data::dispatcher {
namespace {

std::uint64_t ceil_divide(std::uint64_t value, std::uint64_t by) { return (value + by - 1) / by; }

}  // namespace

void Leases::add_worker(WorkerId worker, std::uint32_t threads) {
  CHECK(worker != kNobody, "0 is no worker");
  const std::uint64_t by_threads = kUnitsPerThread * std::max(threads, 1u);
  const std::uint64_t by_bytes = ceil_divide(kWindowBytes, std::max<std::uint64_t>(options_.body_bytes, 1));
  workers_[worker] = {.threads = std::max(threads, 1u),
                      .window = std::min(std::max(by_threads, by_bytes), kMaxWindow)};
}

void Leases::remove_worker(WorkerId worker) {
  if (workers_.erase(worker) == 0) return;
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) give_back(worker, rank);
}

void Leases::give_back(WorkerId worker, std::uint32_t number) {
  if (number >= ranks_.size()) return;
  Rank& rank = ranks_[number];
  for (std::size_t i = 0; i < rank.leases.size(); ++i)
    if (rank.leases[i].worker == worker) wait_again(rank, rank.acked + i);
  rank.open.erase(worker);
}

Status Leases::join(std::uint32_t rank, Unit from) {
  if (rank >= ranks_.size())
    return failure(ErrorCode::kInvalidArgument, "rank " + std::to_string(rank) + " of " +
                                                    std::to_string(ranks_.size()) + " ranks");
  if (ranks_[rank].joined)
    return failure(ErrorCode::kAlreadyExists, "rank " + std::to_string(rank) + " has a reader");
  ranks_[rank] = Rank{};
  ranks_[rank].joined = true;
  ranks_[rank].acked = std::min(number_of(rank, from), end(rank));
  return ok();
}

void Leases::leave(std::uint32_t rank) { ranks_[rank] = Rank{}; }

Status Leases::ack(std::uint32_t number, Unit next) {
  if (number >= ranks_.size() || !ranks_[number].joined)
    return failure(ErrorCode::kInvalidArgument, "an ack of a rank without a reader");
  Rank& rank = ranks_[number];
  const Number done = number_of(number, next);
  if (done > rank.frontier())
    return failure(ErrorCode::kInvalidArgument,
                   "an ack up to " + to_string(next) + ", which was not leased");
  while (rank.acked < done) {
    const WorkerId worker = rank.leases.front().worker;
    if (worker != kNobody) --rank.open[worker];
    rank.waiting.erase(rank.acked);
    rank.leases.pop_front();
    ++rank.acked;
  }
  return ok();
}

Leases::Failure Leases::failed(WorkerId worker, std::uint32_t attempt, Unit unit) {
  const auto number = static_cast<std::uint32_t>(unit.batch % ranks_.size());
  Rank& rank = ranks_[number];
  const Number at = number_of(number, unit);
  if (!rank.joined || at < rank.acked || at >= rank.frontier()) return Failure::kStale;
  Lease& lease = rank.leases[at - rank.acked];
  if (lease.worker != worker || lease.attempt != attempt) return Failure::kStale;
  lease.failed.push_back(worker);
  const bool others = std::ranges::any_of(workers_, [&](const auto& one) {
    return std::ranges::find(lease.failed, one.first) == lease.failed.end();
  });
  // Nobody is left: the lease stands until the reader has acknowledged what it was told.
  if (!others || lease.failed.size() >= kMaxFailures) return Failure::kFinal;
  --rank.open[worker];
  wait_again(rank, at);
  return Failure::kAgain;
}

std::vector<Grant> Leases::grant() {
  std::vector<Grant> grants;
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    if (!ranks_[rank].joined) continue;
    grant_waiting(rank, grants);
    grant_new(rank, grants);
  }
  return grants;
}

// The reader waits for these already: windows do not hold them back.
void Leases::grant_waiting(std::uint32_t number, std::vector<Grant>& grants) {
  Rank& rank = ranks_[number];
  std::vector<Number> given;
  for (const Number at : rank.waiting) {
    auto worker = idlest(rank, 0, rank.leases[at - rank.acked].failed);
    if (!worker) worker = idlest(rank, 0, {});     // those that might do better are gone
    if (!worker) break;
    lease(number, at, *worker, grants);
    given.push_back(at);
  }
  for (const Number at : given) rank.waiting.erase(at);
}

void Leases::grant_new(std::uint32_t number, std::vector<Grant>& grants) {
  Rank& rank = ranks_[number];
  while (rank.frontier() < end(number)) {
    const std::uint64_t units = std::min(block(), end(number) - rank.frontier());
    const auto worker = idlest(rank, units, {});
    if (!worker) return;
    for (std::uint64_t i = 0; i < units; ++i) {
      const Number at = rank.frontier();
      rank.leases.emplace_back();
      lease(number, at, *worker, grants);
    }
  }
}

std::optional<WorkerId> Leases::idlest(const Rank& rank, std::uint64_t room,
                                       const std::vector<WorkerId>& without) const {
  std::optional<WorkerId> best;
  std::uint64_t best_open = 0;
  std::uint64_t best_threads = 1;
  for (const auto& [id, worker] : workers_) {
    if (std::ranges::find(without, id) != without.end()) continue;
    const auto found = rank.open.find(id);
    const std::uint64_t open = found == rank.open.end() ? 0 : found->second;
    if (room > 0 && open + room > worker.window) continue;
    // Units for each thread, compared without a division.
    if (best && open * best_threads >= best_open * worker.threads) continue;
    best = id;
    best_open = open;
    best_threads = worker.threads;
  }
  return best;
}

void Leases::lease(std::uint32_t number, Number at, WorkerId worker, std::vector<Grant>& grants) {
  Rank& rank = ranks_[number];
  Lease& lease = rank.leases[at - rank.acked];
  lease.worker = worker;
  ++rank.open[worker];
  const Unit unit = unit_of(number, at);
  if (!grants.empty()) {
    Grant& last = grants.back();
    const std::uint64_t behind = last.first.batch + last.units * std::uint64_t{options_.ranks};
    if (last.worker == worker && last.attempt == lease.attempt && last.first.epoch == unit.epoch &&
        behind == unit.batch) {
      ++last.units;
      return;
    }
  }
  grants.push_back({.worker = worker, .attempt = lease.attempt, .first = unit, .units = 1});
}

void Leases::wait_again(Rank& rank, Number number) {
  Lease& lease = rank.leases[number - rank.acked];
  lease.worker = kNobody;
  ++lease.attempt;
  rank.waiting.insert(number);
}

std::uint64_t Leases::open_units(WorkerId worker) const {
  std::uint64_t units = 0;
  for (const Rank& rank : ranks_) {
    const auto found = rank.open.find(worker);
    if (found != rank.open.end()) units += found->second;
  }
  return units;
}

std::uint64_t Leases::waiting_units() const {
  std::uint64_t units = 0;
  for (const Rank& rank : ranks_) units += rank.waiting.size();
  return units;
}

Unit Leases::next_of(std::uint32_t rank) const { return unit_of(rank, ranks_[rank].acked); }

Leases::Number Leases::per_epoch(std::uint32_t rank) const {
  if (options_.batches_per_epoch <= rank) return 0;
  return ceil_divide(options_.batches_per_epoch - rank, options_.ranks);
}

Leases::Number Leases::end(std::uint32_t rank) const {
  const std::uint64_t epochs =
      options_.epochs == 0 ? std::numeric_limits<std::uint32_t>::max() : options_.epochs;
  return per_epoch(rank) * epochs;
}

Unit Leases::unit_of(std::uint32_t rank, Number number) const {
  const Number epoch_units = per_epoch(rank);
  if (epoch_units == 0) return {.epoch = 0, .batch = rank};
  return {.epoch = static_cast<std::uint32_t>(number / epoch_units),
          .batch = rank + number % epoch_units * options_.ranks};
}

Leases::Number Leases::number_of(std::uint32_t rank, Unit unit) const {
  const Number epoch_units = per_epoch(rank);
  // A batch beyond the epoch means its end.
  const std::uint64_t batch = std::min(unit.batch, options_.batches_per_epoch);
  const Number within = batch <= rank ? 0 : ceil_divide(batch - rank, options_.ranks);
  return unit.epoch * epoch_units + std::min(within, epoch_units);
}

std::uint64_t Leases::block() const {
  const std::uint64_t units = kBlockBytes / std::max<std::uint64_t>(options_.body_bytes, 1);
  return std::clamp<std::uint64_t>(units, 1, kMaxWindow / 4);
}

}  // namespace evener::data::dispatcher
