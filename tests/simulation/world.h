// One machine of the simulation: a clock that stands still, a store in memory-backed files, a
// scripted backend, an engine that dies and comes back, and a user in another process.
//
// Used by:  simulation_test.
// Threads:  one.
// Fails:    complaints() lists every broken promise.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "faulty.h"
#include "training/engine/engine.h"

namespace evener::simulation {

struct WorldOptions {
  std::uint64_t seed = 0;
  std::filesystem::path folder;     // for homes; memory-backed where the machine has one
  FaultSource faults{};             // none: drawn from the seed
};

class World {
 public:
  explicit World(WorldOptions options);
  ~World();

  // One thing happens: to the user, the clock or the engine; then all promises are checked.
  void live();
  // No more faults and no more submissions: everything must come to its end.
  void settle();

  void submit();
  void stop_some_job();
  void delete_some_job();
  void turn_engine();
  void pass_time();

  const std::vector<std::string>& complaints() const { return complaints_; }
  std::uint64_t crashes() const { return crashes_; }
  std::uint64_t submitted() const { return submitted_; }

 private:
  Fault draw_fault();
  void boot();
  void bury();
  void let_die(const std::function<void()>& what);
  void observe(const jobs::JobEvent& event, const jobs::TrainingJob& job);
  void check_jobs();
  void check_capacity(const std::vector<jobs::TrainingJob>& jobs);
  void check_job(const jobs::TrainingJob& job);
  void check_events(const std::string& name);
  bool all_ended();
  void complain(const std::string& what);

  WorldOptions options_;
  SeededRandom random_;
  FakeClock clock_;
  scheduling::Cluster cluster_;
  std::filesystem::path home_;
  std::unique_ptr<store::Store> user_;      // another process on the same home
  std::unique_ptr<backends::ScriptedBackend> machine_;

  std::unique_ptr<store::Store> disk_;      // the engine's process
  std::unique_ptr<FaultyStore> faulty_;
  std::unique_ptr<engine::Engine> engine_;

  bool faults_on_ = true;
  std::set<std::string> alive_;             // submitted and not deleted
  std::set<std::string> released_;          // ARNs
  std::map<std::string, std::uint64_t> seen_positions_;  // by ARN, of this engine's life
  std::uint64_t submitted_ = 0;
  std::uint64_t crashes_ = 0;
  std::vector<std::string> complaints_;
};

}  // namespace evener::simulation
