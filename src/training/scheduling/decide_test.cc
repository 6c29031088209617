#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "base/ids.h"
#include "training/scheduling/scheduling.h"

namespace evener::scheduling {
namespace {

using jobs::Fit;
using jobs::TrainingJob;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

struct Asked {
  std::string name;
  int vcpus = 1;
  Fit fit = Fit::kStrict;
  int count = 1;
  double memory_gib = 1;
  int accelerators = 0;
  double scale = 1;
};

TrainingJob job_of(const Asked& asked) {
  TrainingJob job;
  job.spec.name = asked.name;
  job.spec.fit = asked.fit;
  job.spec.fit_scale = asked.scale;
  job.spec.groups.push_back({.name = "g",
                             .instance_type = "t",
                             .count = asked.count,
                             .shape = {.vcpus = asked.vcpus,
                                       .memory_gib = asked.memory_gib,
                                       .accelerators = asked.accelerators}});
  return job;
}

TrainingJob running(const Asked& asked) {
  TrainingJob job = job_of(asked);
  job.launched = from_millis(1);
  return job;
}

constexpr Cluster kEight{.cpus = 8, .memory_gib = 100, .accelerators = 1, .max_running_jobs = 10};

std::vector<Decision> decide_all(const std::vector<TrainingJob>& jobs, const Cluster& cluster) {
  std::vector<const TrainingJob*> active;
  for (const TrainingJob& job : jobs) active.push_back(&job);
  return decide(active, cluster);
}

// "start a, wait b, refuse c"
std::string words(const std::vector<Decision>& decisions) {
  std::string text;
  for (const Decision& decision : decisions) {
    if (!text.empty()) text += ", ";
    if (const auto* start = std::get_if<StartJob>(&decision)) text += "start " + start->job;
    if (const auto* keep = std::get_if<KeepPending>(&decision)) text += "wait " + keep->job;
    if (const auto* refuse = std::get_if<RefuseJob>(&decision)) text += "refuse " + refuse->job;
  }
  return text;
}

std::string reason_of(const Decision& decision) {
  if (const auto* keep = std::get_if<KeepPending>(&decision)) return keep->reason;
  if (const auto* refuse = std::get_if<RefuseJob>(&decision)) return refuse->reason;
  return "";
}

TEST(Decide, StartsInOrderWhatFits) {
  EXPECT_EQ(words(decide_all({job_of({"a", 4}), job_of({"b", 4})}, kEight)), "start a, start b");
}

TEST(Decide, StartsAllInstancesOfAJobOrNone) {
  const Asked gang{.name = "gang", .vcpus = 3, .count = 3};
  EXPECT_EQ(words(decide_all({running({"a", 2}), job_of(gang)}, kEight)), "refuse gang");
  const Asked fits{.name = "gang", .vcpus = 2, .count = 4};
  EXPECT_EQ(words(decide_all({running({"a", 2}), job_of(fits)}, kEight)), "wait gang");
  EXPECT_EQ(words(decide_all({job_of(fits)}, kEight)), "start gang");
}

TEST(Decide, ShareNeverRefusesForSize) {
  const Asked huge{.name = "huge", .vcpus = 960, .fit = Fit::kShare, .memory_gib = 1e6,
                   .accelerators = 80};
  EXPECT_EQ(words(decide_all({running({"a", 8}), job_of(huge)}, kEight)), "start huge");
}

TEST(Decide, ShareIsBoundByTheNumberOfRunningJobs) {
  const Asked share{.name = "b", .fit = Fit::kShare};
  const auto decisions = decide_all({running({"a"}), job_of(share)},
                                    {.cpus = 8, .memory_gib = 8, .max_running_jobs = 1});
  EXPECT_EQ(reason_of(decisions[0]), "waiting for 1 of 1 places for running jobs held by job a");
}

TEST(Decide, ScaledCountsFractionsOfAVcpu) {
  const Asked tenth{.name = "x", .vcpus = 80, .fit = Fit::kScaled, .memory_gib = 999, .scale = 0.1};
  EXPECT_EQ(words(decide_all({job_of(tenth)}, kEight)), "start x");
  EXPECT_EQ(words(decide_all({running(tenth), job_of(tenth)}, kEight)), "wait x");
}

TEST(Decide, StrictCountsMemoryAndAcceleratorsToo) {
  EXPECT_EQ(words(decide_all({job_of({.name = "m", .memory_gib = 101})}, kEight)), "refuse m");
  EXPECT_EQ(words(decide_all({job_of({.name = "g", .accelerators = 2})}, kEight)), "refuse g");
  EXPECT_EQ(words(decide_all({running({.name = "a", .accelerators = 1}),
                              job_of({.name = "g", .accelerators = 1})}, kEight)),
            "wait g");
}

TEST(Decide, SaysInWordsWhatAJobWaitsFor) {
  auto decisions = decide_all({running({"X", 4}), job_of({"b", 8})}, kEight);
  EXPECT_EQ(reason_of(decisions[0]), "waiting for 4 of 8 vCPU held by job X");
  decisions = decide_all({running({"X", 4}), running({"Y", 2}), job_of({"b", 8}), job_of({"c", 8})},
                         kEight);
  EXPECT_EQ(reason_of(decisions[0]), "waiting for 6 of 8 vCPU held by job X and 1 other");
  EXPECT_EQ(reason_of(decisions[1]), "waiting for jobs that were submitted earlier");
}

TEST(Decide, RefusesWithTheWordsOfTheService) {
  const auto decisions = decide_all({job_of({"big", 96})}, kEight);
  EXPECT_THAT(reason_of(decisions[0]),
              AllOf(StartsWith("ResourceLimitExceeded: "), HasSubstr("vCPU is 8"),
                    HasSubstr("request delta of 96")));
}

TEST(Decide, ASmallJobOvertakesWhereTheHeadIsNotDelayed) {
  // head needs 6 of 8; 4 are held by an older job; 2 more fit beside the head for good.
  EXPECT_EQ(words(decide_all({running({"a", 4}), job_of({"head", 6}), job_of({"b", 2}),
                              job_of({"c", 2})}, kEight)),
            "wait head, start b, wait c");
}

TEST(Decide, ASmallJobDoesNotOvertakeAHeadThatNeedsEverything) {
  EXPECT_EQ(words(decide_all({running({"a", 4}), job_of({"head", 8}), job_of({"b", 1})}, kEight)),
            "wait head, wait b");
}

TEST(Decide, YoungerJobsThatRunAlreadyCountAgainstThoseThatOvertake) {
  EXPECT_EQ(words(decide_all({running({"a", 4}), job_of({"head", 6}), job_of({"b", 1}),
                              running({"young", 2})}, kEight)),
            "wait head, wait b");
}

TEST(Decide, AStoppingJobIsLeftAloneButKeepsItsShareWhileItRuns) {
  TrainingJob waiting = job_of({"w", 1});
  waiting.stop = jobs::StopRequested{};
  TrainingJob ending = running({"e", 8});
  ending.stop = jobs::StopRequested{};
  EXPECT_EQ(words(decide_all({waiting, ending, job_of({"b", 1})}, kEight)), "wait b");
}

TEST(Refusal, IsWhatADecisionSays) {
  const TrainingJob big = job_of({"big", 9});
  EXPECT_EQ(refusal(big, kEight), reason_of(decide_all({big}, kEight).at(0)));
  EXPECT_EQ(refusal(job_of({"fits", 8}), kEight), std::nullopt);
}

TEST(ReasonToWait, IsTheOneThatWasGivenOrThatOthersCameEarlier) {
  TrainingJob job = job_of({"a"});
  EXPECT_EQ(reason_to_wait(job), "waiting for jobs that were submitted earlier");
  job.pending_reason = "why";
  EXPECT_EQ(reason_to_wait(job), "why");
  job.stop = jobs::StopRequested{};
  EXPECT_EQ(reason_to_wait(job), "");
  EXPECT_EQ(reason_to_wait(running({"b"})), "");
}

// Random queues driven to their end; each property is checked at every step.
class RandomQueue {
 public:
  explicit RandomQueue(std::uint64_t seed) : random_(seed) {
    cluster_ = {.cpus = static_cast<double>(4 + random_.below(12)),
                .memory_gib = static_cast<double>(4 + random_.below(60)),
                .accelerators = static_cast<int>(random_.below(3)),
                .max_running_jobs = static_cast<int>(1 + random_.below(6))};
    equal_sizes_ = random_.below(3) == 0;
    for (int i = 0; i < 12; ++i) jobs_.push_back(random_job(i));
  }

  void run_to_the_end() {
    for (int step = 0; step < 300 && !jobs_.empty(); ++step) {
      const auto decisions = decide_all(jobs_, cluster_);
      check_head_is_not_overtaken_for_good(decisions);
      carry_out(decisions);
      check_capacity();
      if (equal_sizes_) check_nothing_idles();
      end_one();
    }
    EXPECT_TRUE(jobs_.empty()) << "a job starves";
  }

 private:
  TrainingJob random_job(int i) {
    Asked asked{.name = "j" + std::to_string(i)};
    if (!equal_sizes_) {
      asked.vcpus = static_cast<int>(1 + random_.below(6));
      asked.count = static_cast<int>(1 + random_.below(3));
      asked.memory_gib = static_cast<double>(1 + random_.below(8));
      asked.accelerators = static_cast<int>(random_.below(2));
      asked.fit = static_cast<Fit>(random_.below(3));
      asked.scale = 0.5;
    }
    return job_of(asked);
  }

  double vcpus(const TrainingJob& job) const {
    const auto& group = job.spec.groups[0];
    if (job.spec.fit == Fit::kShare) return 0;
    return group.count * group.shape.vcpus * (job.spec.fit == Fit::kScaled ? job.spec.fit_scale : 1);
  }

  void check_capacity() const {
    double cpus = 0, memory = 0, accelerators = 0;
    int places = 0;
    for (const TrainingJob& job : jobs_) {
      if (!job.launched) continue;
      ++places;
      cpus += vcpus(job);
      if (job.spec.fit != Fit::kStrict) continue;
      const auto& group = job.spec.groups[0];
      memory += group.count * group.shape.memory_gib;
      accelerators += group.count * group.shape.accelerators;
    }
    EXPECT_LE(cpus, cluster_.cpus);
    EXPECT_LE(memory, cluster_.memory_gib);
    EXPECT_LE(accelerators, cluster_.accelerators);
    EXPECT_LE(places, cluster_.max_running_jobs);
  }

  // Were all jobs older than the head over, the head would start beside all younger ones, or
  // they did run before it became the head; those started now never take its room.
  void check_head_is_not_overtaken_for_good(const std::vector<Decision>& decisions) const {
    std::string head;
    std::vector<std::string> overtakers;
    for (const Decision& decision : decisions) {
      if (const auto* keep = std::get_if<KeepPending>(&decision); keep && head.empty())
        head = keep->job;
      if (const auto* start = std::get_if<StartJob>(&decision); start && !head.empty())
        overtakers.push_back(start->job);
    }
    if (overtakers.empty()) return;
    std::vector<TrainingJob> later;
    bool past_head = false;
    for (TrainingJob job : jobs_) {
      past_head = past_head || job.spec.name == head;
      if (!past_head) continue;
      if (std::ranges::find(overtakers, job.spec.name) != overtakers.end())
        job.launched = from_millis(1);
      if (job.launched || job.spec.name == head) later.push_back(job);
    }
    EXPECT_EQ(words(decide_all(later, cluster_)), "start " + head);
  }

  void check_nothing_idles() const {
    for (const Decision& decision : decide_all(jobs_, cluster_))
      EXPECT_FALSE(std::holds_alternative<StartJob>(decision)) << "a second pass starts more";
    const auto placed = std::ranges::count_if(jobs_, [](const auto& job) { return !!job.launched; });
    if (std::cmp_less(placed, jobs_.size())) {
      const double most = std::min({cluster_.cpus, cluster_.memory_gib,
                                    static_cast<double>(cluster_.max_running_jobs)});
      EXPECT_EQ(static_cast<double>(placed), most);
    }
  }

  void carry_out(const std::vector<Decision>& decisions) {
    for (const Decision& decision : decisions) {
      const auto name = std::visit([](const auto& d) { return d.job; }, decision);
      const auto job = std::ranges::find_if(
          jobs_, [&](const TrainingJob& candidate) { return candidate.spec.name == name; });
      if (std::holds_alternative<StartJob>(decision)) job->launched = from_millis(1);
      if (std::holds_alternative<RefuseJob>(decision)) jobs_.erase(job);
    }
  }

  void end_one() {
    std::vector<std::size_t> launched;
    for (std::size_t i = 0; i < jobs_.size(); ++i)
      if (jobs_[i].launched) launched.push_back(i);
    if (launched.empty()) return;
    jobs_.erase(jobs_.begin() + static_cast<std::ptrdiff_t>(launched[random_.below(launched.size())]));
  }

  SeededRandom random_;
  Cluster cluster_;
  bool equal_sizes_ = false;
  std::vector<TrainingJob> jobs_;
};

TEST(Decide, HoldsItsPromisesForRandomQueues) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomQueue(seed).run_to_the_end();
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace evener::scheduling
