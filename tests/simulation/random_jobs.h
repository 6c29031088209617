// Jobs and clusters dealt from a seed.
#pragma once

#include <string>

#include "base/ids.h"
#include "training/jobs/jobs.h"
#include "training/scheduling/scheduling.h"

namespace evener::simulation {

scheduling::Cluster random_cluster(SeededRandom& random);

// 1-5 groups, some auxiliary; scripts that succeed, fail, ignore SIGTERM, cannot start, vanish.
jobs::JobSpec random_job(SeededRandom& random, const std::string& name);

}  // namespace evener::simulation
