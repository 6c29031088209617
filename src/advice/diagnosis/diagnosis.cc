#include "advice/diagnosis/diagnosis.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace evener::diagnosis {
namespace {

using Group = GroupEvidence;

// Share of the visible CPUs that the group used; nothing where it was not measured.
std::optional<double> cpu_share(const Group& group) {
  const double share = group.cpu_percent_mean / 100 / group.visible_cpus;
  if (!(group.visible_cpus > 0) || !std::isfinite(share) || share < 0) return std::nullopt;
  return std::min(share, 1.0);
}

bool is_full(const Group& group) { return cpu_share(group).value_or(0) >= kFullShare; }
bool is_idle(const Group& group) { return cpu_share(group).value_or(1) < kIdleShare; }

std::optional<double> wait_of(const Group& group) {
  if (!group.input_wait_fraction || !std::isfinite(*group.input_wait_fraction)) return std::nullopt;
  return std::clamp(*group.input_wait_fraction, 0.0, 1.0);
}

std::string percent(double share) {
  char text[16];
  std::snprintf(text, sizeof text, "%.0f %%", share * 100);
  return text;
}

// "data_group used 40 % of its CPUs"
std::string cpu_use(const Group& group) {
  if (is_full(group)) return group.group + "'s CPUs were full";
  const auto share = cpu_share(group);
  return share ? group.group + " used " + percent(*share) + " of its CPUs"
               : "the CPUs of " + group.group + " were not measured";
}

std::string cpu_use_of_all(const std::vector<Group>& groups) {
  std::string text;
  for (const Group& group : groups) text += (text.empty() ? "" : ", ") + cpu_use(group);
  return text;
}

// The first group with the highest value of `measure`, among those with one.
template <class Measure>
const Group* highest(const std::vector<Group>& groups, Measure measure) {
  const Group* best = nullptr;
  for (const Group& group : groups)
    if (measure(group) && (best == nullptr || *measure(*best) < *measure(group))) best = &group;
  return best;
}

const Group* fullest_but(const std::vector<Group>& groups, const Group& one) {
  return highest(groups, [&](const Group& group) {
    return &group != &one && is_full(group) ? cpu_share(group) : std::nullopt;
  });
}

Verdict single(const Group& group) {
  const auto wait = wait_of(group);
  std::string line = group.group + " is the only group; ";
  if (wait) line += "it waited " + percent(*wait) + " of the time for input, and ";
  const auto share = cpu_share(group);
  if (is_full(group)) return {Kind::kSingleGroup, line + "its CPUs were full"};
  if (!share) return {Kind::kSingleGroup, line + "its CPUs were not measured"};
  return {Kind::kSingleGroup, line + "it used " + percent(*share) + " of its CPUs"};
}

// `waiter` reported waiting worth telling.
Verdict waited(const std::vector<Group>& groups, const Group& waiter) {
  const std::string waiting = waiter.group + " waited " + percent(*wait_of(waiter)) + " of the time for ";
  if (const Group* feeder = fullest_but(groups, waiter))
    return {Kind::kInputBound, waiting + feeder->group + ", whose CPUs were full"};
  if (is_full(waiter))
    return {Kind::kInputBound, waiting + "input while its own CPUs were full"};
  std::vector<Group> others;
  for (const Group& group : groups)
    if (&group != &waiter) others.push_back(group);
  return {Kind::kInputBound, waiting + "input, though no group's CPUs were full (" +
                                 cpu_use_of_all(others) +
                                 "): look at workers, storage and network"};
}

// `group` reported the most waiting, and that was little.
Verdict hardly_waited(const std::vector<Group>& groups, const Group& group) {
  const std::string waiting =
      group.group + " waited only " + percent(*wait_of(group)) + " of the time for input";
  if (const Group* feeder = fullest_but(groups, group))
    return {Kind::kBalanced, waiting + ", and " + feeder->group + "'s CPUs were full: well balanced"};
  const Group* spare = highest(groups, [&](const Group& other) -> std::optional<double> {
    return &other != &group && is_idle(other) ? std::optional(1 - *cpu_share(other)) : std::nullopt;
  });
  if (spare != nullptr)
    return {Kind::kComputeBound,
            waiting + "; " + cpu_use(*spare) + ", so fewer or smaller instances may do there"};
  return {Kind::kComputeBound, waiting + ", so it set the pace itself"};
}

Verdict from_cpu(const std::vector<Group>& groups) {
  const Group* full = highest(groups, [](const Group& group) {
    return is_full(group) ? cpu_share(group) : std::nullopt;
  });
  if (full == nullptr)
    return {Kind::kBalanced, "no group's CPUs were full: " + cpu_use_of_all(groups)};
  // Of idle groups the one that trains is told, before one that only helps.
  const Group* idle = highest(groups, [](const Group& group) -> std::optional<double> {
    if (!is_idle(group)) return std::nullopt;
    return (group.auxiliary ? 0.0 : 1.0) + 1 - *cpu_share(group);
  });
  if (idle == nullptr) return {Kind::kBalanced, "CPUs were well used: " + cpu_use_of_all(groups)};
  const Kind kind = idle->auxiliary && !full->auxiliary ? Kind::kComputeBound : Kind::kInputBound;
  return {kind, idle->group + " was idle " + percent(1 - *cpu_share(*idle)) + " of the time while " +
                    cpu_use(*full) + " (by CPU; accelerators are not measured)"};
}

}  // namespace

Verdict diagnose(const std::vector<GroupEvidence>& groups, double training_seconds) {
  if (groups.empty()) return {Kind::kTooShort, "nothing was measured"};
  if (!(training_seconds >= kMinTrainingSeconds))
    return {Kind::kTooShort, "too short to tell: the programs ran for less than 2 s"};
  if (groups.size() == 1) return single(groups.front());
  const Group* waiter = highest(groups, wait_of);
  if (waiter == nullptr) return from_cpu(groups);
  return *wait_of(*waiter) >= kWaitFraction ? waited(groups, *waiter)
                                            : hardly_waited(groups, *waiter);
}

std::string_view to_string(Kind kind) {
  switch (kind) {
    case Kind::kInputBound: return "InputBound";
    case Kind::kComputeBound: return "ComputeBound";
    case Kind::kBalanced: return "Balanced";
    case Kind::kSingleGroup: return "SingleGroup";
    case Kind::kTooShort: return "TooShort";
  }
  return "TooShort";
}

std::optional<Kind> kind_from(std::string_view text) {
  using enum Kind;
  for (const Kind kind : {kInputBound, kComputeBound, kBalanced, kSingleGroup, kTooShort})
    if (to_string(kind) == text) return kind;
  return std::nullopt;
}

}  // namespace evener::diagnosis
