#include "advice/diagnosis/diagnosis.h"

#include <gtest/gtest.h>

#include <limits>

namespace evener::diagnosis {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

GroupEvidence group(const std::string& name, double cpu_percent, double cpus,
                    std::optional<double> wait = std::nullopt) {
  return {.group = name, .cpu_percent_mean = cpu_percent, .visible_cpus = cpus,
          .input_wait_fraction = wait};
}

GroupEvidence auxiliary(const std::string& name, double cpu_percent, double cpus) {
  GroupEvidence evidence = group(name, cpu_percent, cpus);
  evidence.auxiliary = true;
  return evidence;
}

struct Case {
  std::vector<GroupEvidence> groups;
  double seconds;
  Kind kind;
  std::string line;
};

const std::vector<Case> kCases = {
    {{auxiliary("data_group", 396, 4), group("dnn_group", 20, 4, 0.63)}, 60, Kind::kInputBound,
     "dnn_group waited 63 % of the time for data_group, whose CPUs were full"},
    {{group("dnn_group", 20, 4, 0.63), group("data_group", 360, 4)}, 60, Kind::kInputBound,
     "dnn_group waited 63 % of the time for data_group, whose CPUs were full"},
    {{auxiliary("data_group", 160, 4), group("dnn_group", 20, 4, 0.634)}, 60, Kind::kInputBound,
     "dnn_group waited 63 % of the time for input, though no group's CPUs were full (data_group "
     "used 40 % of its CPUs): look at workers, storage and network"},
    {{auxiliary("data_group", 100, 4), group("dnn_group", 400, 4, 0.3)}, 60, Kind::kInputBound,
     "dnn_group waited 30 % of the time for input while its own CPUs were full"},
    {{auxiliary("data_group", 390, 4), group("dnn_group", 20, 4, 0.04)}, 60, Kind::kBalanced,
     "dnn_group waited only 4 % of the time for input, and data_group's CPUs were full: well "
     "balanced"},
    {{auxiliary("data_group", 100, 4), group("dnn_group", 300, 4, 0.04)}, 60, Kind::kComputeBound,
     "dnn_group waited only 4 % of the time for input; data_group used 25 % of its CPUs, so "
     "fewer or smaller instances may do there"},
    {{auxiliary("data_group", 300, 4), group("dnn_group", 300, 4, 0)}, 60, Kind::kComputeBound,
     "dnn_group waited only 0 % of the time for input, so it set the pace itself"},
    // Three groups: the one that waited most, for the fullest.
    {{group("a", 300, 4, 0.2), group("b", 365, 4), group("c", 395, 4), group("d", 1, 4, 0.5)}, 60,
     Kind::kInputBound, "d waited 50 % of the time for c, whose CPUs were full"},
    {{group("a", 10, 4, 0.2), group("b", 80, 4), group("c", 0, 0)}, 60, Kind::kInputBound,
     "a waited 20 % of the time for input, though no group's CPUs were full (b used 20 % of its "
     "CPUs, the CPUs of c were not measured): look at workers, storage and network"},
    // CPU alone.
    {{auxiliary("data_group", 400, 4), group("dnn_group", 148, 4)}, 60, Kind::kInputBound,
     "dnn_group was idle 63 % of the time while data_group's CPUs were full (by CPU; "
     "accelerators are not measured)"},
    {{auxiliary("data_group", 40, 4), group("dnn_group", 400, 4)}, 60, Kind::kComputeBound,
     "data_group was idle 90 % of the time while dnn_group's CPUs were full (by CPU; "
     "accelerators are not measured)"},
    {{auxiliary("data_group", 390, 4), group("dnn_group", 390, 4)}, 60, Kind::kBalanced,
     "CPUs were well used: data_group's CPUs were full, dnn_group's CPUs were full"},
    {{auxiliary("data_group", 160, 4), group("dnn_group", 40, 4)}, 60, Kind::kBalanced,
     "no group's CPUs were full: data_group used 40 % of its CPUs, dnn_group used 10 % of its "
     "CPUs"},
    {{auxiliary("spare", 0, 4), group("trainer", 40, 4), auxiliary("data", 399, 4)}, 60,
     Kind::kInputBound,
     "trainer was idle 90 % of the time while data's CPUs were full (by CPU; accelerators are "
     "not measured)"},
    // One group.
    {{group("algo", 100, 4, 0.63)}, 60, Kind::kSingleGroup,
     "algo is the only group; it waited 63 % of the time for input, and it used 25 % of its CPUs"},
    {{group("algo", 400, 4, 0.63)}, 60, Kind::kSingleGroup,
     "algo is the only group; it waited 63 % of the time for input, and its CPUs were full"},
    {{group("algo", 400, 4)}, 60, Kind::kSingleGroup,
     "algo is the only group; its CPUs were full"},
    {{group("algo", 4, 0)}, 60, Kind::kSingleGroup,
     "algo is the only group; its CPUs were not measured"},
    // Little or broken evidence.
    {{group("a", 1, 1, 0.9), group("b", 100, 1)}, 1.99, Kind::kTooShort,
     "too short to tell: the programs ran for less than 2 s"},
    {{group("a", 1, 1), group("b", 100, 1)}, kNan, Kind::kTooShort,
     "too short to tell: the programs ran for less than 2 s"},
    {{}, 60, Kind::kTooShort, "nothing was measured"},
    {{group("a", 100, 0), group("b", 100, 0)}, 60, Kind::kBalanced,
     "no group's CPUs were full: the CPUs of a were not measured, the CPUs of b were not "
     "measured"},
    {{group("a", kNan, 1, kNan), group("b", -5, 1)}, 60, Kind::kBalanced,
     "no group's CPUs were full: the CPUs of a were not measured, the CPUs of b were not "
     "measured"},
    {{group("a", 900, 1, 7), group("b", 900, 1)}, 60, Kind::kInputBound,
     "a waited 100 % of the time for b, whose CPUs were full"},
};

TEST(Diagnosis, SaysWhoWaitedForWhomFromTheEvidence) {
  for (const Case& one : kCases) {
    const Verdict verdict = diagnose(one.groups, one.seconds);
    EXPECT_EQ(verdict.line, one.line);
    EXPECT_EQ(to_string(verdict.kind), to_string(one.kind)) << one.line;
  }
}

TEST(Diagnosis, TakesNinetyPercentAsFullAndTenPercentAsWaiting) {
  EXPECT_EQ(diagnose({group("d", 90, 1), group("t", 0, 1, 0.10)}, 2).line,
            "t waited 10 % of the time for d, whose CPUs were full");
  EXPECT_EQ(diagnose({group("d", 89.9, 1), group("t", 0, 1, 0.099)}, 2).kind, Kind::kComputeBound);
}

TEST(Kind, HasAWordForEachValueAndBack) {
  using enum Kind;
  for (const Kind kind : {kInputBound, kComputeBound, kBalanced, kSingleGroup, kTooShort})
    EXPECT_EQ(kind_from(to_string(kind)), kind);
  EXPECT_EQ(kind_from("inputbound"), std::nullopt);
}

}  // namespace
}  // namespace evener::diagnosis
