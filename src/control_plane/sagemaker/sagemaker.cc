#include "control_plane/sagemaker/sagemaker.h"

#include <memory>
#include <utility>

#include "control_plane/sagemaker/job_texts.h"

namespace evener::control_plane {
namespace {

using document::Value;
using operations::Change;
using store::Store;

class SageMaker : public std::enable_shared_from_this<SageMaker> {
 public:
  SageMaker(Stores& stores, engine::Engine& engine, const Clock& clock, SageMakerOptions options)
      : stores_(stores), engine_(engine), clock_(clock), options_(std::move(options)),
        texts_(kDescribedBytes) {}

  void describe(const Value& input, const Answer& answer) {
    auto output = described(input);
    if (!output) return answer(tl::unexpected<Error>(std::move(output.error())));
    answer(wire::Output{.value = {}, .ready_json = **output});
  }

  void create(const Value& input, const Caller& caller, const Answer& answer) {
    commit(operations::create_training_job(input,
                                           {.region = caller.region,
                                            .account = options_.account,
                                            .paths = options_.paths,
                                            .complete = options_.complete},
                                           clock_.wall_now()),
           answer);
  }

  template <class Prepare>
  void change(const Value& input, const Answer& answer, const Prepare& prepare) {
    commit(prepared(input, prepare), answer);
  }

 private:
  Result<std::shared_ptr<const std::string>> described(const Value& input) {
    auto store = stores_.take();
    if (!store) return tl::unexpected<Error>(store.error());
    const auto row = texts_.refresh(*store);
    if (!row) return tl::unexpected<Error>(row.error());
    const std::string name(input.text_at("TrainingJobName"));
    if (input.members.size() == 1)
      if (auto text = texts_.find(name)) return text;
    const auto value = operations::describe_training_job(**store, input);
    if (!value) return tl::unexpected<Error>(value.error());
    auto text = std::make_shared<const std::string>(document::write(*value));
    texts_.keep(name, text, *row);
    return text;
  }

  // The store is given back before the engine is asked: its answer may take the time of a sync.
  template <class Prepare>
  Result<Change> prepared(const Value& input, const Prepare& prepare) {
    auto store = stores_.take();
    if (!store) return tl::unexpected<Error>(store.error());
    return prepare(**store, input, clock_.wall_now());
  }

  void commit(Result<Change> change, const Answer& answer) {
    if (!change) return answer(tl::unexpected<Error>(std::move(change.error())));
    std::vector<jobs::JobEvent> events = std::move(change->events);
    if (events.empty()) return finish(*change, {}, "", answer);
    std::string deleted;
    if (std::holds_alternative<jobs::Deleted>(events.back().change)) deleted = events.back().job;
    engine_.commit(std::move(events),
                   [self = shared_from_this(), change = std::move(*change),
                    deleted = std::move(deleted), answer](Result<std::vector<Status>> statuses) {
                     if (!statuses) return answer(tl::unexpected<Error>(std::move(statuses.error())));
                     self->finish(change, *statuses, deleted, answer);
                   });
  }

  void finish(const Change& change, std::span<const Status> statuses, const std::string& deleted,
              const Answer& answer) {
    auto value = operations::answer_of(change, statuses);
    if (!value) return answer(tl::unexpected<Error>(std::move(value.error())));
    if (!deleted.empty() && options_.deleted) options_.deleted(deleted);
    answer(wire::Output{.value = std::move(*value), .ready_json = {}});
  }

  Stores& stores_;
  engine::Engine& engine_;
  const Clock& clock_;
  const SageMakerOptions options_;
  JobTexts texts_;
};

using Reading = Result<Value> (*)(Store&, const Value&);
using Changing = Result<Change> (*)(Store&, const Value&, WallTime);

Operation read_operation(Stores& stores, std::string name, Reading read) {
  return {wire::Service::kSageMaker, std::move(name), Access::kRead,
          [&stores, read](const Value& input, const Caller&, const Answer& answer) {
            auto store = stores.take();
            if (!store) return answer(tl::unexpected<Error>(store.error()));
            auto value = read(**store, input);
            if (!value) return answer(tl::unexpected<Error>(std::move(value.error())));
            answer(wire::Output{.value = std::move(*value), .ready_json = {}});
          }};
}

Operation change_operation(const std::shared_ptr<SageMaker>& service, std::string name,
                           Changing prepare) {
  return {wire::Service::kSageMaker, std::move(name), Access::kWrite,
          [service, prepare](const Value& input, const Caller&, const Answer& answer) {
            service->change(input, answer, prepare);
          }};
}

}  // namespace

std::vector<Operation> sagemaker_operations(Stores& stores, engine::Engine& engine,
                                            const Clock& clock, SageMakerOptions options) {
  const auto service = std::make_shared<SageMaker>(stores, engine, clock, std::move(options));
  using wire::Service;
  return {
      {Service::kSageMaker, "DescribeTrainingJob", Access::kRead,
       [service](const Value& input, const Caller&, const Answer& answer) {
         service->describe(input, answer);
       }},
      {Service::kSageMaker, "CreateTrainingJob", Access::kWrite,
       [service](const Value& input, const Caller& caller, const Answer& answer) {
         service->create(input, caller, answer);
       }},
      read_operation(stores, "ListTrainingJobs", operations::list_training_jobs),
      read_operation(stores, "ListTags", operations::list_tags),
      change_operation(service, "StopTrainingJob", operations::stop_training_job),
      change_operation(service, "DeleteTrainingJob", operations::delete_training_job),
      change_operation(service, "UpdateTrainingJob", operations::update_training_job),
      change_operation(service, "AddTags", operations::add_tags),
      change_operation(service, "DeleteTags", operations::delete_tags),
  };
}

std::vector<Operation> search_operations(Stores& stores) {
  return {read_operation(stores, "Search", operations::search)};
}

}  // namespace evener::control_plane
