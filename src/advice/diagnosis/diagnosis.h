// Who waits for whom: one line from what was measured, with its evidence.
//
// Used by:  apps (summary).
// Threads:  pure functions.
// Fails:    never; too little evidence is an answer.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace evener::diagnosis {

struct GroupEvidence {
  std::string group;
  bool auxiliary = false;
  int instances = 1;
  double cpu_percent_mean = 0;                 // per instance, 100 per vCPU
  double visible_cpus = 1;                     // per instance
  std::optional<double> input_wait_fraction;   // mean over its instances that report it
};

enum class Kind { kInputBound, kComputeBound, kBalanced, kSingleGroup, kTooShort };

struct Verdict {
  Kind kind = Kind::kTooShort;
  // "dnn_group waited 63 % of the time for data_group, whose CPUs were full"
  std::string line;
};

// `training_seconds`: runs under 2 s say so instead of guessing.
Verdict diagnose(const std::vector<GroupEvidence>& groups, double training_seconds);

std::string_view to_string(Kind kind);

}  // namespace evener::diagnosis
