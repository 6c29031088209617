// Who makes which unit: the leases of one generation of a feed, as state that only calls change.
//
// A rank's units are numbered 0, 1, ... through all epochs: of an epoch, those with batch mod ranks
// = rank. All before `acked` are done. From there on, each up to `frontier` is leased to a worker or
// waits to be leased again; all from `frontier` on were never leased.
//
//        acked                 frontier
//   done ──┤ leased, waiting, leased ├── never leased
//
// Used by:  dispatcher.cc.
// Threads:  one.
// Fails:    kInvalidArgument on what no peer may say: a rank beyond ranks, an ack of what was not
//           leased.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/result.h"
#include "data/transport/transport.h"

namespace evener::data::dispatcher {

using transport::Unit;
using WorkerId = std::uint32_t;

// A worker has units for so long a time before it waits for an ack.
inline constexpr std::uint64_t kWindowBytes = 8u << 20;
inline constexpr std::uint64_t kUnitsPerThread = 2;
inline constexpr std::uint64_t kMaxWindow = 65'536;      // units
// Small units are leased some at a time.
inline constexpr std::uint64_t kBlockBytes = 256u << 10;
// A unit that one worker cannot make is tried by others, so often in all.
inline constexpr std::uint32_t kMaxFailures = 3;
inline constexpr std::uint32_t kMaxRanks = 65'536;

struct LeaseOptions {
  std::uint32_t ranks = 1;
  std::uint64_t batches_per_epoch = 1;
  std::uint32_t epochs = 1;                 // 0: without end
  std::uint64_t body_bytes = 1;
};

// Units first, first + ranks, ... of one rank and one epoch.
struct Grant {
  WorkerId worker = 0;
  std::uint32_t attempt = 0;
  Unit first;
  std::uint32_t units = 1;
  bool operator==(const Grant&) const = default;
};

class Leases {
 public:
  explicit Leases(const LeaseOptions& options) : options_(options), ranks_(options.ranks) {}

  void add_worker(WorkerId worker, std::uint32_t threads);
  // Its units wait to be leased again.
  void remove_worker(WorkerId worker);

  // A worker's way to a rank's reader broke: what it had of the rank waits to be leased again.
  void give_back(WorkerId worker, std::uint32_t rank);

  // The rank's reader wants units from the first of its own at or after `from`.
  Status join(std::uint32_t rank, Unit from);
  bool joined(std::uint32_t rank) const { return ranks_[rank].joined; }
  void leave(std::uint32_t rank);
  // All of the rank before `next` are done.
  Status ack(std::uint32_t rank, Unit next);

  enum class Failure {
    kAgain,                                 // another worker will try
    kFinal,                                 // the reader is to be told
    kStale,                                 // the unit is done, or another's by now
  };
  Failure failed(WorkerId worker, std::uint32_t attempt, Unit unit);

  // What can be leased now: to the worker with the least to do for its threads, those that wait
  // again first.
  std::vector<Grant> grant();

  std::uint64_t open_units(WorkerId worker) const;       // leased to it and not done
  std::uint64_t waiting_units() const;                   // to be leased again
  Unit next_of(std::uint32_t rank) const;                // the first that is not done

 private:
  using Number = std::uint64_t;             // of a unit within its rank
  static constexpr WorkerId kNobody = 0;

  struct Lease {
    WorkerId worker = kNobody;              // kNobody: waits
    std::uint32_t attempt = 0;
    std::vector<WorkerId> failed{};         // workers that could not make it
  };
  struct Rank {
    bool joined = false;
    Number acked = 0;
    std::deque<Lease> leases{};             // of acked, acked + 1, ... frontier - 1
    std::set<Number> waiting{};
    std::map<WorkerId, std::uint64_t> open{};
    Number frontier() const { return acked + leases.size(); }
  };
  struct Worker {
    std::uint64_t threads = 1;
    std::uint64_t window = 1;               // units of each rank
  };

  Number per_epoch(std::uint32_t rank) const;
  Number end(std::uint32_t rank) const;
  Unit unit_of(std::uint32_t rank, Number number) const;
  Number number_of(std::uint32_t rank, Unit unit) const;  // of the first at or after `unit`
  std::uint64_t block() const;

  void grant_waiting(std::uint32_t rank, std::vector<Grant>& grants);
  void grant_new(std::uint32_t rank, std::vector<Grant>& grants);
  // The worker with the least to do that has room for `room` more and is none of `without`.
  std::optional<WorkerId> idlest(const Rank& rank, std::uint64_t room,
                                 const std::vector<WorkerId>& without) const;
  void lease(std::uint32_t rank, Number number, WorkerId worker, std::vector<Grant>& grants);
  void wait_again(Rank& rank, Number number);

  const LeaseOptions options_;
  std::vector<Rank> ranks_;
  std::map<WorkerId, Worker> workers_;
};

}  // namespace evener::data::dispatcher
