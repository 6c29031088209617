// Seeds are printed on failure; EVENER_SIMULATION_SEED=n runs that one alone, and
// EVENER_SIMULATION_SEEDS=n as many.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "base/log.h"
#include "os/temporary_folder_test.h"
#include "world.h"

namespace evener::simulation {
namespace {

constexpr std::uint64_t kSeeds = 1000;
constexpr int kEventsPerLife = 60;

std::optional<std::uint64_t> number_from(const char* variable) {
  const char* text = std::getenv(variable);
  if (!text) return std::nullopt;
  return std::strtoull(text, nullptr, 10);
}

// A folder in memory where the machine has one: durability is not what is simulated here.
class Simulation : public testing::Test {
 protected:
  void SetUp() override {
    constexpr LogLevel kNone{static_cast<int>(LogLevel::kError) + 1};
    if (!std::getenv("EVENER_SIMULATION_SEED")) set_log_level(kNone);  // faults are the point
  }

  os::TemporaryFolder temporary_{os::memory_or_temporary()};
  const std::filesystem::path& folder_ = temporary_.path();
};

void expect_no_complaints(const World& world, const std::string& which) {
  for (const std::string& complaint : world.complaints()) ADD_FAILURE() << which << ": " << complaint;
}

TEST_F(Simulation, EveryPromiseHoldsUnderRandomFaults) {
  const auto one = number_from("EVENER_SIMULATION_SEED");
  const std::uint64_t first = one.value_or(1);
  const std::uint64_t seeds = one ? 1 : number_from("EVENER_SIMULATION_SEEDS").value_or(kSeeds);
  std::uint64_t crashes = 0;
  std::uint64_t submitted = 0;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    World world({.seed = seed, .folder = folder_});
    for (int i = 0; i < kEventsPerLife; ++i) world.live();
    world.settle();
    expect_no_complaints(world, "EVENER_SIMULATION_SEED=" + std::to_string(seed));
    if (HasFailure()) return;
    crashes += world.crashes();
    submitted += world.submitted();
  }
  std::printf("%llu seeds, %llu submissions, %llu crashes of the engine\n",
              static_cast<unsigned long long>(seeds), static_cast<unsigned long long>(submitted),
              static_cast<unsigned long long>(crashes));
}

// The same life again and again, with the n-th call that can go wrong going wrong in each way.
TEST_F(Simulation, AFaultAtEverySingleCallIsSurvived) {
  constexpr std::uint64_t kSeed = 7;
  for (int kind = 1; kind <= 4; ++kind) {
    const auto fault = static_cast<Fault>(kind);
    for (std::uint64_t at = 1;; ++at) {
      std::uint64_t calls = 0;
      World world({.seed = kSeed, .folder = folder_, .faults = [&] {
                     return ++calls == at ? fault : Fault::kNone;
                   }});
      for (int i = 0; i < 25; ++i) world.live();
      world.settle();
      expect_no_complaints(world, "fault " + std::to_string(kind) + " at call " + std::to_string(at));
      if (HasFailure() || calls < at) break;
    }
  }
}

}  // namespace
}  // namespace evener::simulation
