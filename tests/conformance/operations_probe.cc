// SageMaker's operations on a store in a folder, without a server: reads lines
// {"operation":...,"input":...} and answers each with one line, {"answer":...} or
// {"code":...,"message":...}. For the tests that hold operations against the service model.
#include <iostream>
#include <string>

#include "training/operations/operations.h"

namespace {

using namespace evener;  // NOLINT(google-build-using-namespace)

constexpr std::int64_t kStartMillis = 1'796'033'472'345;

std::string_view class_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kUnsupported: return "ValidationException";
    case ErrorCode::kAlreadyExists: return "ResourceInUse";
    case ErrorCode::kLimitExceeded: return "ResourceLimitExceeded";
    default: return "InternalFailure";
  }
}

Result<document::Value> committed(store::Store& store, const Result<operations::Change>& change) {
  if (!change) return tl::unexpected<Error>(change.error());
  const auto statuses = store.commit(change->events);
  if (!statuses) return tl::unexpected<Error>(statuses.error());
  return operations::answer_of(*change, *statuses);
}

Result<document::Value> run(store::Store& store, std::string_view operation,
                            const document::Value& input, WallTime now) {
  using namespace operations;  // NOLINT(google-build-using-namespace)
  if (operation == "CreateTrainingJob")
    return committed(store, create_training_job(input, {}, now));
  if (operation == "DescribeTrainingJob") return describe_training_job(store, input);
  if (operation == "ListTrainingJobs") return list_training_jobs(store, input);
  if (operation == "Search") return search(store, input);
  if (operation == "ListTags") return list_tags(store, input);
  if (operation == "StopTrainingJob") return committed(store, stop_training_job(store, input, now));
  if (operation == "DeleteTrainingJob")
    return committed(store, delete_training_job(store, input, now));
  if (operation == "UpdateTrainingJob")
    return committed(store, update_training_job(store, input, now));
  if (operation == "AddTags") return committed(store, add_tags(store, input, now));
  if (operation == "DeleteTags") return committed(store, delete_tags(store, input, now));
  return failure(ErrorCode::kInternal, "no operation " + std::string(operation));
}

document::Value line_of(const Result<document::Value>& answer) {
  document::Value line = document::make_object();
  if (answer) {
    line.set("answer", *answer);
  } else {
    line.set("code", document::make_string(class_of(answer.error().code)));
    line.set("message", document::make_string(answer.error().message));
  }
  return line;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  auto store = store::open_store({.home = arguments[1], .synchronous = store::Synchronous::kOff});
  if (!store) {
    std::cerr << store.error().message << "\n";
    return 1;
  }
  std::int64_t now = kStartMillis;
  for (std::string line; std::getline(std::cin, line); ++now) {
    auto call = document::read(line);
    Result<document::Value> answer = document::Value{};
    const document::Value* input = call ? call->find("input") : nullptr;
    if (!call)  // as a server answers a body that is no JSON
      answer = tl::unexpected<Error>(call.error());
    else
      answer = run(**store, call->text_at("operation"),
                   input != nullptr ? *input : document::Value{}, from_millis(now));
    std::cout << document::write(line_of(answer)) << std::endl;
  }
  return 0;
}
