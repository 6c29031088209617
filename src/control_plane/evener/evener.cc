#include "control_plane/evener/evener.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace evener::control_plane {
namespace {

using document::Value;

constexpr std::size_t kNameCharacters = 63;

tl::unexpected<Error> invalid(std::string text) {
  return failure(ErrorCode::kInvalidArgument, std::move(text));
}

// Of a member that may be absent.
Status check_kind(const Value& input, std::string_view name, document::Kind kind) {
  const Value* member = input.find(name);
  if (member == nullptr || member->kind == kind) return ok();
  return invalid(std::string(name) + " must be " + std::string(to_string(kind)));
}

bool is_name(std::string_view text) { return !text.empty() && text.size() <= kNameCharacters; }

Result<std::string> name_in(const Value& input) {
  const std::string name(input.text_at("TrainingJobName"));
  if (!is_name(name))
    return invalid("TrainingJobName must be a string of 1 to " + std::to_string(kNameCharacters) +
                   " characters");
  return name;
}

Result<jobs::TrainingJob> job_in(Stores& stores, const Value& input) {
  const auto name = name_in(input);
  if (!name) return tl::unexpected<Error>(name.error());
  auto store = stores.take();
  if (!store) return tl::unexpected<Error>(store.error());
  return (*store)->find(*name);
}

Result<Value> get_jobs(Stores& stores, const Value& input) {
  const auto& names = input.items_at("TrainingJobNames");
  if (names.empty() || names.size() > kJobsPerAnswer)
    return invalid("TrainingJobNames: give 1 to " + std::to_string(kJobsPerAnswer));
  if (!std::ranges::all_of(names, [](const Value& name) {
        return name.kind == document::Kind::kString && is_name(name.text);
      }))
    return invalid("TrainingJobNames: each is a string of 1 to " +
                   std::to_string(kNameCharacters) + " characters");
  auto store = stores.take();
  if (!store) return tl::unexpected<Error>(store.error());
  Value found = document::make_list({});
  for (const Value& name : names) {
    const auto job = (*store)->find(name.text);
    if (!job && job.error().code != ErrorCode::kNotFound) return tl::unexpected<Error>(job.error());
    if (job) found.items.push_back(document::make_string(jobs::to_json(*job)));
  }
  Value answer = document::make_object();
  answer.set("Jobs", std::move(found));
  return answer;
}

Result<Followers::Wish> wish_in(const Value& input) {
  auto name = name_in(input);
  if (!name) return tl::unexpected<Error>(name.error());
  RETURN_IF_ERROR(check_kind(input, "Position", document::Kind::kObject));
  RETURN_IF_ERROR(check_kind(input, "WaitMilliseconds", document::Kind::kInteger));
  const Value none = document::make_object();
  const Value* given = input.find("Position");
  auto position = following::position_from(given == nullptr ? none : *given);
  if (!position) return tl::unexpected<Error>(position.error());
  const Value* wait = input.find("WaitMilliseconds");
  return Followers::Wish{
      .job = std::move(*name),
      .position = std::move(*position),
      .wait = std::chrono::milliseconds(std::clamp<std::int64_t>(
          wait == nullptr ? 0 : wait->integer, 0, kLongestWait.count()))};
}

void follow_job(Followers& followers, const Value& input, const Answer& answer) {
  auto wish = wish_in(input);
  if (!wish) return answer(tl::unexpected<Error>(wish.error()));
  followers.follow(std::move(*wish), answer);
}

void stop_job(Stores& stores, engine::Engine& engine, const Value& input, WallTime now,
              const Answer& answer) {
  if (auto status = check_kind(input, "AtOnce", document::Kind::kBoolean); !status)
    return answer(tl::unexpected<Error>(std::move(status.error())));
  const auto job = job_in(stores, input);
  if (!job) return answer(tl::unexpected<Error>(job.error()));
  jobs::JobEvent event{.job = job->spec.name, .time = now,
                       .change = jobs::StopRequested{.at_once = input.true_at("AtOnce")}};
  engine.commit({std::move(event)}, [answer](Result<std::vector<Status>> statuses) {
    if (!statuses) return answer(tl::unexpected<Error>(std::move(statuses.error())));
    if (!statuses->front()) return answer(tl::unexpected<Error>(std::move(statuses->front().error())));
    answer(wire::Output{});
  });
}

Result<Value> get_job_cost(Stores& stores, const EvenerOptions& options, const Value& input,
                           const Caller& caller) {
  RETURN_IF_ERROR(check_kind(input, "Region", document::Kind::kString));
  const auto job = job_in(stores, input);
  if (!job) return tl::unexpected<Error>(job.error());
  const std::string_view region = input.text_at("Region");
  const auto cost = options.cost(*job, region.empty() ? caller.region : std::string(region));
  if (!cost) return tl::unexpected<Error>(cost.error());
  return document_of(*cost);
}

}  // namespace

std::vector<Operation> evener_operations(Stores& stores, engine::Engine& engine,
                                         Followers& followers, const Clock& clock,
                                         EvenerOptions options) {
  using wire::Service;
  const auto shared = std::make_shared<const EvenerOptions>(std::move(options));
  return {
      reading(Service::kEvener, "GetServer",
              [shared](const Value&, const Caller&) -> Result<Value> {
                return document_of(shared->facts);
              }),
      reading(Service::kEvener, "GetJobs",
              [&stores](const Value& input, const Caller&) { return get_jobs(stores, input); }),
      {Service::kEvener, "FollowJob", Access::kRead,
       [&followers](const Value& input, const Caller&, const Answer& answer) {
         follow_job(followers, input, answer);
       }},
      reading(Service::kEvener, "GetJobCost",
              [&stores, shared](const Value& input, const Caller& caller) {
                return get_job_cost(stores, *shared, input, caller);
              }),
      {Service::kEvener, "StopJob", Access::kWrite,
       [&stores, &engine, &clock](const Value& input, const Caller&, const Answer& answer) {
         stop_job(stores, engine, input, clock.wall_now(), answer);
       }},
  };
}

}  // namespace evener::control_plane
