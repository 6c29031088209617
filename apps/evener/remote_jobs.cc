#include "evener/remote_jobs.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace evener::app {
namespace {

using control_plane::Answered;
using control_plane::ServerClient;
using document::make_integer;
using document::make_object;
using document::make_string;
using document::Value;
using wire::Service;

// How long a request for news may lie with the server: a view is drawn anew after each.
constexpr std::chrono::milliseconds kNewsWait{1'000};
// A server with too many followers answers at once; it is not asked more often than that.
constexpr std::chrono::milliseconds kBusyRest{100};
constexpr std::size_t kPage = 100;            // the most that ListTrainingJobs gives
constexpr std::size_t kMostNames = 1'000;

Value named(const std::string& job) {
  Value input = make_object();
  input.set("TrainingJobName", make_string(job));
  return input;
}

class RemoteFeed final : public JobFeed {
 public:
  RemoteFeed(ServerClient client, const Clock& clock, std::string job)
      : client_(std::move(client)), clock_(clock), job_(std::move(job)) {}

  Result<JobUpdate> poll() override {
    Value input = named(job_);
    input.set("Position", following::document_of(position_));
    input.set("WaitMilliseconds", make_integer(resting_ ? kNewsWait.count() : 0));
    const auto asked_at = clock_.monotonic_now();
    const auto answered = client_.ask(Service::kEvener, "FollowJob", input);
    if (!answered.result) return tl::unexpected(answered.result.error());
    const Value* position = answered.result->find("Position");
    const Value* news = answered.result->find("Update");
    if (position == nullptr || news == nullptr)
      return failure(ErrorCode::kCorrupt, "the server's answer to FollowJob lacks a member");
    auto next = following::position_from(*position);
    if (!next) return tl::unexpected(next.error());
    auto update = following::update_from(*news);
    if (!update) return update;
    position_ = std::move(*next);
    busy_ = resting_ && update->empty() && clock_.monotonic_now() - asked_at < kNewsWait / 2;
    resting_ = false;
    return update;
  }

  void rest() override {
    resting_ = true;
    if (busy_) std::this_thread::sleep_for(kBusyRest);
  }

 private:
  const ServerClient client_;
  const Clock& clock_;
  const std::string job_;
  following::Position position_;
  bool resting_ = false;
  bool busy_ = false;
};

class RemoteJobs final : public JobSource {
 public:
  RemoteJobs(const ServerConnection& server, Patience patience)
      : http_(server.http), clock_(*server.clock), client_(server.client(patience)),
        machine_cpus_(server.facts.cpus) {}

  Result<jobs::TrainingJob> find(const std::string& name) override {
    auto found = jobs_named({&name, 1});
    if (!found) return tl::unexpected(found.error());
    if (found->empty()) return failure(ErrorCode::kNotFound, "no job " + name);
    return std::move(found->front());
  }

  Result<std::vector<jobs::TrainingJob>> list(const store::ListFilter& filter) override {
    const auto names = names_of(filter);
    if (!names) return tl::unexpected(names.error());
    std::vector<jobs::TrainingJob> all;
    for (std::size_t at = 0; at < names->size(); at += control_plane::kJobsPerAnswer) {
      auto some = jobs_named(std::span(*names).subspan(
          at, std::min(control_plane::kJobsPerAnswer, names->size() - at)));
      if (!some) return tl::unexpected(some.error());
      for (auto& job : *some) all.push_back(std::move(job));
    }
    return all;
  }

  double machine_cpus() const override { return machine_cpus_; }

  Result<std::vector<std::string>> names() override {
    return names_of({.status = {}, .name_contains = "", .limit = kMostNames});
  }

  Result<std::unique_ptr<JobFeed>> follow(const std::string& name) override {
    return std::make_unique<RemoteFeed>(client_, clock_, name);
  }

  Status stop(const jobs::TrainingJob& job, Stop how) override {
    if (how == Stop::kWithGrace)
      return status_of(client_.ask(Service::kSageMaker, "StopTrainingJob", named(job.spec.name)));
    Value input = named(job.spec.name);
    input.set("AtOnce", document::make_boolean(true));
    return status_of(client_.ask(Service::kEvener, "StopJob", input));
  }

  Status remove(const jobs::TrainingJob& job) override {
    const auto answered =
        client_.ask(Service::kSageMaker, "DeleteTrainingJob", named(job.spec.name));
    if (!answered.result && answered.repeated && is_gone(find(job.spec.name))) return ok();
    return status_of(answered);
  }

  Result<cost::JobCost> cost_of(const jobs::TrainingJob& job, const std::string& region) override {
    Value input = named(job.spec.name);
    input.set("Region", make_string(region));
    const auto answered = client_.ask(Service::kEvener, "GetJobCost", input);
    if (!answered.result) return tl::unexpected(answered.result.error());
    return control_plane::cost_from(*answered.result);
  }

  Status attend() override { return ok(); }   // the server does

 private:
  static Status status_of(const Answered& answered) {
    return answered.result ? ok() : Status(tl::unexpected(answered.result.error()));
  }

  Result<std::vector<jobs::TrainingJob>> jobs_named(std::span<const std::string> names) {
    Value list = document::make_list({});
    for (const auto& name : names) list.items.push_back(make_string(name));
    Value input = make_object();
    input.set("TrainingJobNames", std::move(list));
    const auto answered = client_.ask(Service::kEvener, "GetJobs", input);
    if (!answered.result) return tl::unexpected(answered.result.error());
    std::vector<jobs::TrainingJob> all;
    for (const Value& text : answered.result->items_at("Jobs")) {
      auto job = jobs::job_from_json(text.text);
      if (!job) return tl::unexpected(job.error());
      all.push_back(std::move(*job));
    }
    return all;
  }

  Result<std::vector<std::string>> names_of(const store::ListFilter& filter) {
    Value input = make_object();
    input.set("SortBy", make_string("CreationTime"));
    input.set("SortOrder", make_string(filter.newest_first ? "Descending" : "Ascending"));
    if (filter.status) input.set("StatusEquals", make_string(to_string(*filter.status)));
    if (!filter.name_contains.empty())
      input.set("NameContains", make_string(filter.name_contains));
    std::vector<std::string> names;
    std::string token;
    for (bool more = true; more && names.size() < filter.limit;) {
      input.set("MaxResults", make_integer(static_cast<std::int64_t>(
                                  std::min(kPage, filter.limit - names.size()))));
      const auto answered = client_.ask(Service::kSageMaker, "ListTrainingJobs", input);
      if (!answered.result) return tl::unexpected(answered.result.error());
      for (const Value& job : answered.result->items_at("TrainingJobSummaries"))
        names.emplace_back(job.text_at("TrainingJobName"));
      const std::string_view next = answered.result->text_at("NextToken");
      more = !next.empty() && next != token;   // a page may be empty and others follow
      token = next;
      input.set("NextToken", make_string(token));
    }
    return names;
  }

  const std::shared_ptr<http::Client> http_;
  const Clock& clock_;
  const ServerClient client_;
  const double machine_cpus_;
};

}  // namespace

bool is_gone(const Result<jobs::TrainingJob>& looked_up) {
  return !looked_up && looked_up.error().code == ErrorCode::kNotFound;
}

std::unique_ptr<JobSource> make_remote_jobs(const ServerConnection& server, Patience patience) {
  return std::make_unique<RemoteJobs>(server, patience);
}

}  // namespace evener::app
