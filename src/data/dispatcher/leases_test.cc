#include "data/dispatcher/leases.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/ids.h"

namespace evener::data::dispatcher {
namespace {

constexpr std::uint64_t kLarge = 40u << 20;     // bytes of a body

std::vector<Unit> units_of(const Grant& grant, std::uint32_t ranks) {
  std::vector<Unit> units;
  for (std::uint32_t i = 0; i < grant.units; ++i)
    units.push_back({grant.first.epoch, grant.first.batch + std::uint64_t{i} * ranks});
  return units;
}

TEST(Leases, GoToTheWorkerWithTheLeastToDo) {
  Leases leases({.ranks = 1, .batches_per_epoch = 100, .body_bytes = kLarge});
  ASSERT_TRUE(leases.join(0, {}));
  EXPECT_TRUE(leases.grant().empty());
  leases.add_worker(1, 1);
  EXPECT_EQ(leases.grant(), (std::vector<Grant>{{1, 0, {0, 0}, 2}}));
  EXPECT_TRUE(leases.grant().empty());
  leases.add_worker(2, 3);
  EXPECT_EQ(leases.grant(), (std::vector<Grant>{{2, 0, {0, 2}, 6}}));
  ASSERT_TRUE(leases.ack(0, {0, 1}));
  EXPECT_EQ(leases.grant(), (std::vector<Grant>{{1, 0, {0, 8}, 1}}));
  EXPECT_EQ(leases.open_units(1), 2u);
  EXPECT_EQ(leases.open_units(2), 6u);
}

TEST(Leases, OfARankAreItsBatchesOnly) {
  Leases leases({.ranks = 3, .batches_per_epoch = 7, .epochs = 2, .body_bytes = kLarge});
  leases.add_worker(1, 100);
  ASSERT_TRUE(leases.join(1, {}));
  std::vector<Unit> units;
  for (const Grant& grant : leases.grant())
    for (const Unit unit : units_of(grant, 3)) units.push_back(unit);
  EXPECT_EQ(units, (std::vector<Unit>{{0, 1}, {0, 4}, {1, 1}, {1, 4}}));
  ASSERT_TRUE(leases.join(0, {1, 2}));
  units.clear();
  for (const Grant& grant : leases.grant())
    for (const Unit unit : units_of(grant, 3)) units.push_back(unit);
  EXPECT_EQ(units, (std::vector<Unit>{{1, 3}, {1, 6}}));
}

TEST(Leases, OfSmallUnitsComeInBlocks) {
  Leases leases({.ranks = 1, .batches_per_epoch = 1'000'000, .body_bytes = 4096});
  leases.add_worker(1, 2);
  ASSERT_TRUE(leases.join(0, {}));
  EXPECT_EQ(leases.grant(), (std::vector<Grant>{{1, 0, {0, 0}, 2048}}));
  ASSERT_TRUE(leases.ack(0, {0, 63}));
  EXPECT_TRUE(leases.grant().empty());
  ASSERT_TRUE(leases.ack(0, {0, 64}));
  EXPECT_EQ(leases.grant(), (std::vector<Grant>{{1, 0, {0, 2048}, 64}}));
}

TEST(Leases, OfTheSmallestUnitsAreGrantedToo) {
  Leases leases({.ranks = 1, .batches_per_epoch = 1'000'000, .body_bytes = 1});
  leases.add_worker(1, 1);
  ASSERT_TRUE(leases.join(0, {}));
  EXPECT_FALSE(leases.grant().empty());
}

TEST(Leases, OfALostWorkerGoToOthersFirst) {
  Leases leases({.ranks = 1, .batches_per_epoch = 100, .body_bytes = kLarge});
  leases.add_worker(1, 1);
  leases.add_worker(2, 1);
  ASSERT_TRUE(leases.join(0, {}));
  EXPECT_EQ(leases.grant(), (std::vector<Grant>{{1, 0, {0, 0}, 1}, {2, 0, {0, 1}, 1},
                                                {1, 0, {0, 2}, 1}, {2, 0, {0, 3}, 1}}));
  leases.remove_worker(1);
  EXPECT_EQ(leases.waiting_units(), 2u);
  EXPECT_EQ(leases.grant(), (std::vector<Grant>{{2, 1, {0, 0}, 1}, {2, 1, {0, 2}, 1}}));
  EXPECT_EQ(leases.open_units(2), 4u);
}

TEST(Leases, OfAWayThatBrokeAreGivenAgain) {
  Leases leases({.ranks = 2, .batches_per_epoch = 100, .body_bytes = kLarge});
  leases.add_worker(1, 1);
  ASSERT_TRUE(leases.join(0, {}));
  ASSERT_TRUE(leases.join(1, {}));
  (void)leases.grant();
  leases.give_back(1, 1);
  EXPECT_EQ(leases.grant(), (std::vector<Grant>{{1, 1, {0, 1}, 2}}));
  leases.give_back(1, 7);
}

TEST(Leases, ThatFailAreTriedByOthersBeforeTheReaderHears) {
  Leases leases({.ranks = 1, .batches_per_epoch = 100, .body_bytes = kLarge});
  leases.add_worker(1, 1);
  leases.add_worker(2, 1);
  ASSERT_TRUE(leases.join(0, {}));
  (void)leases.grant();
  EXPECT_EQ(leases.failed(1, 0, {0, 1}), Leases::Failure::kStale);    // another's
  EXPECT_EQ(leases.failed(1, 0, {0, 0}), Leases::Failure::kAgain);
  EXPECT_EQ(leases.grant(), (std::vector<Grant>{{2, 1, {0, 0}, 1}, {1, 0, {0, 4}, 1}}));
  EXPECT_EQ(leases.failed(1, 0, {0, 0}), Leases::Failure::kStale);
  EXPECT_EQ(leases.failed(2, 1, {0, 0}), Leases::Failure::kFinal);
  ASSERT_TRUE(leases.ack(0, {0, 1}));
  EXPECT_EQ(leases.failed(2, 1, {0, 0}), Leases::Failure::kStale);
}

TEST(Leases, RefuseWhatNoReaderMaySay) {
  Leases leases({.ranks = 2, .batches_per_epoch = 100, .body_bytes = kLarge});
  leases.add_worker(1, 1);
  EXPECT_FALSE(leases.join(2, {}));
  EXPECT_FALSE(leases.ack(0, {0, 2}));
  ASSERT_TRUE(leases.join(0, {}));
  EXPECT_EQ(leases.join(0, {}).error().code, ErrorCode::kAlreadyExists);
  (void)leases.grant();
  EXPECT_EQ(leases.ack(0, {0, 50}).error().message,
            "an ack up to epoch 0, batch 50, which was not leased");
  EXPECT_TRUE(leases.ack(0, {0, 2}));
  EXPECT_TRUE(leases.ack(0, {0, 0}));     // old news
  EXPECT_EQ(leases.next_of(0), (Unit{0, 2}));
}

TEST(Leases, OfMoreRanksThanBatchesLeaveTheRestEmpty) {
  Leases leases({.ranks = 3, .batches_per_epoch = 2, .epochs = 2, .body_bytes = kLarge});
  leases.add_worker(1, 8);
  for (std::uint32_t rank = 0; rank < 3; ++rank) ASSERT_TRUE(leases.join(rank, {}));
  std::size_t units = 0;
  for (const Grant& grant : leases.grant()) units += grant.units;
  EXPECT_EQ(units, 4u);
  EXPECT_TRUE(leases.ack(0, {2, 0}));
  EXPECT_TRUE(leases.ack(1, {1, 4}));    // behind the end of the last epoch
  EXPECT_TRUE(leases.grant().empty());
}

// Workers that make units in any order, die and come; readers that take them in order, drop
// duplicates, leave and come back.
class World {
 public:
  explicit World(std::uint64_t seed)
      : random_(seed),
        options_{.ranks = 1 + below(4), .batches_per_epoch = 1 + below(40), .epochs = 1 + below(3),
                 .body_bytes = below(2) == 0 ? kLarge : 1 + random_.below(1u << 20)},
        leases_(options_),
        readers_(options_.ranks) {}

  void run() {
    for (std::uint32_t rank = 0; rank < options_.ranks; ++rank) join(rank);
    for (int step = 0; step < 20'000 && !done(); ++step) act(step);
    EXPECT_TRUE(done()) << "it goes on for ever";
    for (std::uint32_t rank = 0; rank < options_.ranks; ++rank)
      EXPECT_EQ(readers_[rank].taken, expected(rank)) << "rank " << rank;
  }

 private:
  struct Held {
    std::uint32_t attempt = 0;
  };
  struct Reader {
    std::vector<Unit> taken;
    std::set<Unit> arrived;
  };
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_.below(bound)); }

  std::vector<Unit> expected(std::uint32_t rank) const {
    std::vector<Unit> units;
    for (std::uint32_t epoch = 0; epoch < options_.epochs; ++epoch)
      for (std::uint64_t batch = rank; batch < options_.batches_per_epoch; batch += options_.ranks)
        units.push_back({epoch, batch});
    return units;
  }
  bool done() const {
    for (std::uint32_t rank = 0; rank < options_.ranks; ++rank)
      if (readers_[rank].taken.size() != expected(rank).size()) return false;
    return true;
  }
  Unit next_unit(std::uint32_t rank) const {
    const auto all = expected(rank);
    const std::size_t at = readers_[rank].taken.size();
    return at < all.size() ? all[at] : Unit{options_.epochs, 0};
  }
  void join(std::uint32_t rank) { ASSERT_TRUE(leases_.join(rank, next_unit(rank))); }

  void act(int step) {
    const std::uint32_t choice = below(100);
    if (choice < 3 || workers_.empty()) {
      const WorkerId id = ++last_worker_;
      workers_[id];
      leases_.add_worker(id, 1 + below(4));
    } else if (choice < 5 && step < 15'000) {
      const auto victim = std::next(workers_.begin(), below(static_cast<std::uint32_t>(workers_.size())));
      leases_.remove_worker(victim->first);
      workers_.erase(victim);
    } else if (choice < 7) {
      come_back(below(options_.ranks));
    } else if (choice < 9) {
      break_stream(below(options_.ranks));
    } else if (choice < 60) {
      make_some();
    } else {
      take(below(options_.ranks));
    }
    collect(leases_.grant());
  }
  void come_back(std::uint32_t rank) {
    leases_.leave(rank);
    readers_[rank].arrived.clear();
    for (auto& [id, held] : workers_)
      std::erase_if(held, [&](const auto& one) { return one.first.batch % options_.ranks == rank; });
    join(rank);
  }
  // The worker forgets what it has of the rank, made or not, and says so.
  void break_stream(std::uint32_t rank) {
    auto& [id, held] = *std::next(workers_.begin(), below(static_cast<std::uint32_t>(workers_.size())));
    std::erase_if(held, [&](const auto& one) { return one.first.batch % options_.ranks == rank; });
    leases_.give_back(id, rank);
  }
  void collect(const std::vector<Grant>& grants) {
    for (const Grant& grant : grants) {
      ASSERT_TRUE(workers_.contains(grant.worker)) << "a lease for a worker that is gone";
      for (const Unit unit : units_of(grant, options_.ranks)) {
        ASSERT_LT(unit.batch, options_.batches_per_epoch);
        ASSERT_LT(unit.epoch, options_.epochs);
        const auto [at, is_new] = workers_[grant.worker].emplace(unit, Held{grant.attempt});
        ASSERT_TRUE(is_new) << to_string(unit) << " is leased twice to one worker";
      }
    }
  }
  void make_some() {
    auto& [id, held] = *std::next(workers_.begin(), below(static_cast<std::uint32_t>(workers_.size())));
    for (std::uint32_t i = below(8); i > 0 && !held.empty(); --i) {
      const auto unit = std::next(held.begin(), below(static_cast<std::uint32_t>(std::min<std::size_t>(held.size(), 3))));
      readers_[unit->first.batch % options_.ranks].arrived.insert(unit->first);
      held.erase(unit);
    }
  }
  void take(std::uint32_t rank) {
    Reader& reader = readers_[rank];
    for (std::uint32_t i = below(6); i > 0 && reader.arrived.contains(next_unit(rank)); --i)
      reader.taken.push_back(next_unit(rank));
    ASSERT_TRUE(leases_.ack(rank, next_unit(rank)));
  }

  SeededRandom random_;
  const LeaseOptions options_;
  Leases leases_;
  std::vector<Reader> readers_;
  std::map<WorkerId, std::map<Unit, Held>> workers_;
  WorkerId last_worker_ = 0;
};

TEST(Leases, DeliverEveryUnitInOrderWhoeverDies) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World(seed).run();
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
}

}  // namespace
}  // namespace evener::data::dispatcher
