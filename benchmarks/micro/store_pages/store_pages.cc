// Time of one ListTrainingJobs, from input to the answer's JSON, over a store of many jobs: plain
// pages from the begin and the middle, and filters that leave much, little and nothing. One JSON
// object a line on stdout.
//
//   store_pages FOLDER [JOBS = 100000] [ROUNDS = 200]
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "training/operations/operations.h"

namespace evener {
namespace {

constexpr std::int64_t kStartMillis = 1'796'000'000'000;
constexpr std::size_t kBatch = 500;      // jobs in one commit
constexpr int kTagEvery = 100;

jobs::JobSpec spec_of(int i) {
  jobs::JobSpec spec{.name = "job-" + std::to_string(i * 7919 % 1'000'003) + "-" + std::to_string(i)};
  spec.groups.push_back({.name = "homogeneousCluster", .instance_type = "ml.c5.xlarge"});
  spec.output_uri = "s3://bucket/output";
  spec.request_json = R"({"TrainingJobName":")" + spec.name + R"("})";
  for (int k = 0; k < 20; ++k)
    spec.hyperparameters["parameter-" + std::to_string(k)] = "some value of it";
  if (i % kTagEvery == 0) spec.tags["team"] = std::to_string(i / kTagEvery % 10);
  return spec;
}

bool fill(store::Store& store, int jobs) {
  std::vector<jobs::JobEvent> events;
  for (int i = 0; i < jobs; ++i) {
    const jobs::JobSpec spec = spec_of(i);
    const WallTime time = from_millis(kStartMillis + i * std::int64_t{1000});
    const std::string arn = "arn:aws:sagemaker:us-east-1:000000000000:training-job/" + spec.name;
    events.push_back({.job = spec.name, .time = time, .change = jobs::Submitted{spec, arn}});
    events.push_back({.job = spec.name, .time = time + std::chrono::seconds(50),
                      .change = jobs::Ended{jobs::JobStatus::kFailed,
                                            jobs::SecondaryStatus::kFailed, "AlgorithmError: x"}});
    if (events.size() < 2 * kBatch && i + 1 < jobs) continue;
    if (!store.commit(events)) return false;
    events.clear();
  }
  return true;
}

struct Case {
  const char* name;
  std::string input;
};

void measure(store::Store& store, const Case& one, int rounds) {
  const auto input = document::read(one.input).value();
  std::vector<double> millis;
  std::size_t bytes = 0;
  for (int i = 0; i < rounds; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const auto answer = operations::list_training_jobs(store, input);
    bytes = answer ? document::write(*answer).size() : 0;
    millis.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() -
                                                              begin).count());
  }
  std::ranges::sort(millis);
  const auto at = [&](double part) {
    return millis[static_cast<std::size_t>(part * static_cast<double>(millis.size() - 1))];
  };
  std::cout << R"({"case":")" << one.name << R"(","p50_ms":)" << at(0.5) << R"(,"p99_ms":)"
            << at(0.99) << R"(,"answer_bytes":)" << bytes << "}" << std::endl;
}

int run(const std::filesystem::path& folder, int jobs, int rounds) {
  auto store = store::open_store({.home = folder, .synchronous = store::Synchronous::kOff});
  if (!store || !fill(**store, jobs)) return 1;
  const auto first = operations::list_training_jobs(
      **store, document::read(R"({"MaxResults":100,"SortOrder":"Descending"})").value());
  const auto seconds = [&](double part) {
    return std::to_string(kStartMillis / 1000 + static_cast<std::int64_t>(part * jobs));
  };
  const Case cases[] = {
      {"first", R"({"MaxResults":100})"},
      {"second", R"({"MaxResults":100,"SortOrder":"Descending","NextToken":")" +
                     std::string(first->text_at("NextToken")) + R"("})"},
      {"by_name", R"({"MaxResults":100,"SortBy":"Name"})"},
      {"status_all", R"({"MaxResults":100,"StatusEquals":"Failed","SortBy":"Name"})"},
      {"status_none", R"({"MaxResults":100,"StatusEquals":"InProgress"})"},
      {"created_middle", R"({"MaxResults":100,"CreationTimeAfter":)" + seconds(0.5) + "}"},
      {"changed_last_1000", R"({"MaxResults":100,"LastModifiedTimeAfter":)" +
                                std::to_string(kStartMillis / 1000 + jobs + 50 - 1000) + "}"},
      {"changed_last_half", R"({"MaxResults":100,"LastModifiedTimeAfter":)" + seconds(0.5) + "}"},
      {"name_many", R"({"MaxResults":100,"NameContains":"job"})"},
      {"name_none", R"({"MaxResults":100,"NameContains":"nothing"})"},
  };
  for (const Case& one : cases) measure(**store, one, rounds);
  return 0;
}

}  // namespace
}  // namespace evener

int main(int count, char** words) {
  if (count < 2) return 2;
  return evener::run(words[1], count > 2 ? std::atoi(words[2]) : 100'000,
                     count > 3 ? std::atoi(words[3]) : 200);
}
