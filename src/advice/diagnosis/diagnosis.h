// Who waits for whom: one line from what was measured, with its evidence.
//
// Used by:  apps (summary).
// Threads:  pure functions.
// Fails:    never; too little evidence is an answer.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evener::diagnosis {

// A group whose mean CPU use is at least this share of its visible CPUs is full.
inline constexpr double kFullShare = 0.90;
// Where only CPU is known, a group below this share was idle.
inline constexpr double kIdleShare = 0.50;
// A smaller share of waiting is not worth changing anything.
inline constexpr double kWaitFraction = 0.10;
inline constexpr double kMinTrainingSeconds = 2;

struct GroupEvidence {
  std::string group;
  bool auxiliary = false;
  int instances = 1;
  double cpu_percent_mean = 0;                 // per instance, 100 per vCPU
  double visible_cpus = 1;                     // per instance; 0 where it is not known
  std::optional<double> input_wait_fraction;   // mean over its instances that report it
};

enum class Kind { kInputBound, kComputeBound, kBalanced, kSingleGroup, kTooShort };

struct Verdict {
  Kind kind = Kind::kTooShort;
  // "dnn_group waited 63 % of the time for data_group, whose CPUs were full"
  std::string line;
};

// Where a group reports how long it waited for input, that counts: the group that waited most, and
// the fullest other group. Where none does, CPU use alone is told, as what it is.
// `training_seconds`: runs under 2 s say so instead of guessing.
Verdict diagnose(const std::vector<GroupEvidence>& groups, double training_seconds);

std::string_view to_string(Kind kind);  // "InputBound", ...
std::optional<Kind> kind_from(std::string_view text);

}  // namespace evener::diagnosis
