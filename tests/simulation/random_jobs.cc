#include "random_jobs.h"

#include <array>

namespace evener::simulation {
namespace {

bool one_in(SeededRandom& random, std::uint64_t n) { return random.below(n) == 0; }

void add_script(SeededRandom& random, jobs::JobSpec& spec) {
  auto& script = spec.hyperparameters;
  script["script_run_for_ms"] = std::to_string(random.below(20'000));
  script["script_staging_ms"] = std::to_string(random.below(3) * 500);
  script["script_uploading_ms"] = std::to_string(random.below(3) * 300);
  if (one_in(random, 4)) script["script_exit_code"] = std::to_string(1 + random.below(140));
  if (one_in(random, 3)) script["script_fail_host"] = "algo-" + std::to_string(1 + random.below(4));
  if (one_in(random, 5)) script["script_ignore_sigterm"] = "1";
  if (one_in(random, 12)) script["script_start_error"] = "no such image";
  if (one_in(random, 8)) script["script_crash_after_ms"] = std::to_string(random.below(15'000));
}

}  // namespace

scheduling::Cluster random_cluster(SeededRandom& random) {
  return {.cpus = static_cast<double>(4 + random.below(28)),
          .memory_gib = static_cast<double>(16 + random.below(64)),
          .accelerators = static_cast<int>(random.below(3)),
          .max_running_jobs = static_cast<int>(1 + random.below(6))};
}

jobs::JobSpec random_job(SeededRandom& random, const std::string& name) {
  constexpr std::array kFits{jobs::Fit::kShare, jobs::Fit::kStrict, jobs::Fit::kScaled};
  jobs::JobSpec spec{.name = name};
  const std::uint64_t groups = 1 + random.below(5);
  for (std::uint64_t i = 0; i < groups; ++i)
    spec.groups.push_back({.name = "group" + std::to_string(i),
                           .instance_type = "ml.sim",
                           .count = static_cast<int>(1 + random.below(3)),
                           .shape = {.vcpus = static_cast<int>(1 + random.below(4)),
                                     .memory_gib = static_cast<double>(1 + random.below(8)),
                                     .accelerators = one_in(random, 6) ? 1 : 0},
                           .auxiliary = one_in(random, 4)});
  spec.heterogeneous = groups > 1;
  spec.fit = kFits[random.below(kFits.size())];
  spec.fit_scale = 0.5;
  spec.stop_grace = std::chrono::seconds(random.below(120));
  if (one_in(random, 4)) spec.max_runtime = std::chrono::seconds(1 + random.below(15));
  if (one_in(random, 4)) spec.shuffle_hosts_seed = random.next();
  add_script(random, spec);
  return spec;
}

}  // namespace evener::simulation
