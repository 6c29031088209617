// The queue's rules, in order of creation:
//
//   1. A job starts if all its instances fit into what is free: vCPUs, memory, accelerators and
//      a place among the running jobs. What a job takes follows its fit: kShare a place only,
//      kStrict also everything its instance types have, kScaled also vCPUs times the factor.
//   2. The first job that does not fit is the head. It gets what it needs as soon as the jobs
//      created before it give it back.
//   3. A later job may overtake the head only where that cannot delay it: it fits into what is
//      free, and the head, it, and all running jobs that are younger than the head fit into the
//      machine together.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "training/scheduling/scheduling.h"

namespace evener::scheduling {
namespace {

using jobs::TrainingJob;

constexpr std::size_t kResources = 4;
constexpr std::size_t kPlaces = 3;
constexpr std::array<const char*, kResources> kNames{"vCPU", "GiB of memory", "accelerators",
                                                     "places for running jobs"};
constexpr const char* kEarlierJobs = "waiting for jobs that were submitted earlier";
constexpr double kRounding = 1e-9;  // sums of fractions may miss by this much

using Amounts = std::array<double, kResources>;

Amounts operator+(const Amounts& a, const Amounts& b) {
  Amounts sum{};
  for (std::size_t i = 0; i < kResources; ++i) sum[i] = a[i] + b[i];
  return sum;
}

Amounts operator-(const Amounts& a, const Amounts& b) {
  Amounts rest{};
  for (std::size_t i = 0; i < kResources; ++i) rest[i] = a[i] - b[i];
  return rest;
}

// The first resource of which `available` has too little.
std::optional<std::size_t> lacking(const Amounts& needed, const Amounts& available) {
  for (std::size_t i = 0; i < kResources; ++i)
    if (needed[i] > available[i] + kRounding) return i;
  return std::nullopt;
}

Amounts capacity_of(const Cluster& cluster) {
  return {cluster.cpus, cluster.memory_gib, static_cast<double>(cluster.accelerators),
          static_cast<double>(cluster.max_running_jobs)};
}

Amounts need_of(const TrainingJob& job) {
  Amounts need{};
  need[kPlaces] = 1;
  for (const jobs::InstanceGroup& group : job.spec.groups) {
    const double count = group.count;
    switch (job.spec.fit) {
      case jobs::Fit::kShare:
        break;
      case jobs::Fit::kStrict:
        need[0] += count * group.shape.vcpus;
        need[1] += count * group.shape.memory_gib;
        need[2] += count * group.shape.accelerators;
        break;
      case jobs::Fit::kScaled:
        need[0] += count * group.shape.vcpus * job.spec.fit_scale;
        break;
    }
  }
  return need;
}

std::string number(double value) {
  std::string text = std::to_string(std::round(value * 100) / 100);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string limit_text(std::size_t resource, const Amounts& need, const Amounts& capacity) {
  return "ResourceLimitExceeded: The limit of this machine for " + std::string(kNames[resource]) +
         " is " + number(capacity[resource]) +
         ", with current utilization of 0 and a request delta of " + number(need[resource]) +
         ". Please use fewer or smaller instances, or the fit \"share\", which runs any size.";
}

// One pass over the queue.
class Queue {
 public:
  Queue(const std::vector<const TrainingJob*>& active, const Cluster& cluster)
      : active_(active), capacity_(capacity_of(cluster)), free_(capacity_) {
    for (const TrainingJob* job : active_)
      if (job->launched) hold(*job);
  }

  std::vector<Decision> decide() {
    std::vector<Decision> decisions;
    for (std::size_t i = 0; i < active_.size(); ++i)
      if (!active_[i]->launched && !active_[i]->stop) decisions.push_back(decide_one(i));
    return decisions;
  }

 private:
  Decision decide_one(std::size_t index) {
    const TrainingJob& job = *active_[index];
    const Amounts need = need_of(job);
    if (const auto resource = lacking(need, capacity_))
      return RefuseJob{job.spec.name, limit_text(*resource, need, capacity_)};
    const auto resource = lacking(need, free_);
    if (!head_ && resource) {
      head_ = need + held_after(index);
      return KeepPending{job.spec.name, waiting_text(*resource, need)};
    }
    if (resource || (head_ && lacking(*head_ + need, capacity_)))
      return KeepPending{job.spec.name, kEarlierJobs};
    if (head_) head_ = *head_ + need;
    hold(job);
    return StartJob{job.spec.name};
  }

  void hold(const TrainingJob& job) {
    free_ = free_ - need_of(job);
    holders_.push_back(&job);
  }

  Amounts held_after(std::size_t index) const {
    Amounts held{};
    for (std::size_t i = index + 1; i < active_.size(); ++i)
      if (active_[i]->launched) held = held + need_of(*active_[i]);
    return held;
  }

  // "waiting for 4 of 8 vCPU held by job X and 2 others"
  std::string waiting_text(std::size_t resource, const Amounts& need) const {
    std::string holder;
    int others = -1;
    for (const TrainingJob* job : holders_) {
      if (need_of(*job)[resource] <= 0) continue;
      if (holder.empty()) holder = job->spec.name;
      ++others;
    }
    std::string text = "waiting for " + number(need[resource] - std::max(0.0, free_[resource])) +
                       " of " + number(need[resource]) + " " + kNames[resource];
    if (!holder.empty()) text += " held by job " + holder;
    if (others > 0) text += " and " + std::to_string(others) + (others > 1 ? " others" : " other");
    return text;
  }

  const std::vector<const TrainingJob*>& active_;
  const Amounts capacity_;
  Amounts free_;
  std::vector<const TrainingJob*> holders_;
  // What must stay possible together: the first job that has to wait, and all jobs younger than
  // it that hold something. Empty while no job has to wait.
  std::optional<Amounts> head_;
};

}  // namespace

std::vector<Decision> decide(const std::vector<const TrainingJob*>& active,
                             const Cluster& cluster) {
  return Queue(active, cluster).decide();
}

std::string reason_to_wait(const TrainingJob& job) {
  if (job.launched || job.stop || job.ended()) return "";
  return job.pending_reason.empty() ? kEarlierJobs : job.pending_reason;
}

std::optional<std::string> refusal(const TrainingJob& job, const Cluster& cluster) {
  const Amounts need = need_of(job);
  const Amounts capacity = capacity_of(cluster);
  const auto resource = lacking(need, capacity);
  if (!resource) return std::nullopt;
  return limit_text(*resource, need, capacity);
}

}  // namespace evener::scheduling
