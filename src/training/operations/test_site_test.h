// A store in a folder of its own with operations run on it, answers as text.
//
// Used by:  tests.
// Threads:  one.
// Fails:    as text: "<class of error>: <message>".
#pragma once

#include <gtest/gtest.h>

#include "os/temporary_folder_test.h"
#include "training/operations/operations.h"

namespace evener::operations {

inline constexpr std::string_view kBody = R"({"TrainingJobName":"het-1",
  "HyperParameters":{"epochs":"3","lr":"0.5"},
  "AlgorithmSpecification":{"TrainingInputMode":"File"},
  "RoleArn":"arn:aws:iam::000000000000:role/local",
  "InputDataConfig":[
    {"ChannelName":"train","DataSource":{"S3DataSource":{"S3DataType":"S3Prefix","S3Uri":"s3://b/cat"}}},
    {"ChannelName":"test","DataSource":{"S3DataSource":{"S3DataType":"S3Prefix","S3Uri":"s3://b/dog"}}}],
  "OutputDataConfig":{"S3OutputPath":"s3://out"},
  "ResourceConfig":{"InstanceType":"ml.c5.xlarge","InstanceCount":1}})";

inline std::string edited(std::string_view piece, std::string_view by) {
  std::string body(kBody);
  return body.replace(body.find(piece), piece.size(), by);
}

inline std::string text_of(const Error& error) {
  switch (error.code) {
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kUnsupported: return "ValidationException: " + error.message;
    case ErrorCode::kAlreadyExists: return "ResourceInUse: " + error.message;
    case ErrorCode::kLimitExceeded: return "ResourceLimitExceeded: " + error.message;
    default: return "InternalFailure: " + error.message;
  }
}

class Site : public testing::Test {
 protected:
  using Read = Result<document::Value> (*)(store::Store&, const document::Value&);
  using Make = Result<Change> (*)(store::Store&, const document::Value&, WallTime);

  void SetUp() override {
    store_ = store::open_store({.home = folder_.path(),
                                .synchronous = store::Synchronous::kOff}).value();
  }
  std::string read(Read operation, std::string_view json) {
    const auto answer = operation(*store_, document::read(json).value());
    return answer ? document::write(*answer) : text_of(answer.error());
  }
  std::string commit(const Result<Change>& change) {
    if (!change) return text_of(change.error());
    const auto answer = answer_of(*change, store_->commit(change->events).value());
    return answer ? document::write(*answer) : text_of(answer.error());
  }
  std::string change(Make operation, std::string_view json) {
    return commit(operation(*store_, document::read(json).value(), from_millis(now_ms_ += 1)));
  }
  std::string try_create_body(std::string_view body, LocalPaths paths) {
    options_.paths = paths;
    return commit(create_training_job(document::read(body).value(), options_, from_millis(now_ms_)));
  }
  std::string try_create(std::string_view name) {
    return try_create_body(edited("het-1", name), LocalPaths::kRefused);
  }
  void create(std::string_view name, std::int64_t seconds = 1000) {
    now_ms_ = seconds * 1000;
    ASSERT_TRUE(try_create(name).starts_with(R"({"TrainingJobArn":)")) << name;
  }
  void end(const std::string& name) {
    const jobs::JobEvent event{.job = name, .time = from_millis(now_ms_ += 1),
                               .change = jobs::Ended{jobs::JobStatus::kFailed,
                                                     jobs::SecondaryStatus::kFailed, "x"}};
    ASSERT_TRUE((*store_->commit({&event, 1}))[0].has_value());
  }
  // The names of jobs in an answer of ListTrainingJobs or Search.
  static std::vector<std::string> names_in(const std::string& json) {
    std::vector<std::string> names;
    const auto answer = document::read(json);
    if (!answer) return {json};
    for (const auto& job : answer->items_at("TrainingJobSummaries"))
      names.emplace_back(job.text_at("TrainingJobName"));
    for (const auto& result : answer->items_at("Results"))
      names.emplace_back(result.find("TrainingJob")->text_at("TrainingJobName"));
    return names;
  }
  std::vector<std::string> names(std::string_view input) {
    return names_in(read(list_training_jobs, input));
  }
  static std::string token_in(const std::string& json) {
    return std::string(document::read(json)->text_at("NextToken"));
  }
  // All pages of an operation, joined; `members` is an input without its braces.
  std::vector<std::string> pages(const std::string& members, Read operation = list_training_jobs) {
    std::vector<std::string> all;
    std::string token;
    do {
      const std::string next = token.empty() ? "" : R"(,"NextToken":")" + token + R"(")";
      const std::string answer = read(operation, "{" + members + next + "}");
      for (std::string& name : names_in(answer)) all.push_back(std::move(name));
      token = document::read(answer) ? token_in(answer) : "";
    } while (!token.empty());
    return all;
  }

  const os::TemporaryFolder folder_{os::memory_or_temporary()};
  std::unique_ptr<store::Store> store_;
  CreateOptions options_{};
  std::int64_t now_ms_ = 0;
};

}  // namespace evener::operations
