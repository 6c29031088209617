#include "training/operations/operations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "training/operations/iso_time.h"
#include "training/operations/page_token.h"
#include "training/operations/test_site_test.h"

namespace evener::operations {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Operations : public Site {};

TEST_F(Operations, ACreatedJobIsDescribedListedAndSearched) {
  create("het-1");
  const auto described = read(describe_training_job, R"({"TrainingJobName":"het-1"})");
  EXPECT_THAT(described, HasSubstr(R"("TrainingJobStatus":"InProgress")"));
  EXPECT_THAT(described, HasSubstr(R"("KmsKeyId":"")"));
  EXPECT_EQ(read(list_training_jobs, "{}"),
            R"({"TrainingJobSummaries":[{"TrainingJobName":"het-1","TrainingJobArn":)"
            R"("arn:aws:sagemaker:us-east-1:000000000000:training-job/het-1",)"
            R"("CreationTime":1000.000,"LastModifiedTime":1000.000,)"
            R"("TrainingJobStatus":"InProgress","SecondaryStatus":"Starting"}]})");
  EXPECT_THAT(read(search, R"({"Resource":"TrainingJob"})"),
              HasSubstr(R"({"Results":[{"TrainingJob":{"TrainingJobName":"het-1")"));
}

TEST_F(Operations, AnUnknownJobIsToldAsTheServiceDoes) {
  const std::string text = "ValidationException: Requested resource not found.";
  const std::string_view input = R"({"TrainingJobName":"none"})";
  EXPECT_EQ(read(describe_training_job, input), text);
  EXPECT_EQ(change(stop_training_job, input), text);
  EXPECT_EQ(change(delete_training_job, input), text);
  EXPECT_EQ(change(update_training_job, input), text);
  for (const std::string_view arn :
       {"arn:aws:sagemaker:us-east-1:000000000000:training-job/none",
        "arn:aws:sagemaker:us-east-1:000000000000:endpoint/none"}) {
    const std::string of_arn = R"({"ResourceArn":")" + std::string(arn) + R"("})";
    EXPECT_EQ(read(list_tags, of_arn), text);
  }
}

TEST_F(Operations, AUsedNameIsRefusedWithItsArnWhateverItsCase) {
  create("het-1");
  EXPECT_EQ(try_create("HET-1"),
            "ResourceInUse: Training job names must be unique within an AWS account and region, and "
            "a training job with this name already exists "
            "(arn:aws:sagemaker:us-east-1:000000000000:training-job/het-1)");
  end("het-1");
  EXPECT_EQ(change(delete_training_job, R"({"TrainingJobName":"het-1"})"), "{}");
  create("HET-1");
}

TEST_F(Operations, AJobStopsOnceAndIsDeletedAfterItsEnd) {
  create("het-1");
  const std::string_view input = R"({"TrainingJobName":"het-1"})";
  EXPECT_EQ(change(delete_training_job, input),
            "ResourceInUse: The request was rejected because the training job is in status "
            "InProgress.");
  EXPECT_EQ(change(stop_training_job, input), "{}");
  EXPECT_EQ(change(stop_training_job, input), "{}");  // a client's retry
  EXPECT_EQ(store_->find("het-1")->status, jobs::JobStatus::kStopping);
  end("het-1");
  const std::string text = "The request was rejected because the training job is in status Failed.";
  EXPECT_EQ(change(stop_training_job, input), "ValidationException: " + text);
  EXPECT_EQ(change(update_training_job, input), "ValidationException: " + text);
  // The same where the end comes between the check and the commit.
  const jobs::JobEvent late{.job = "het-1", .time = {}, .change = jobs::StopRequested{}};
  const auto statuses = store_->commit({&late, 1}).value();
  EXPECT_EQ(answer_of({.events = {late}}, statuses).error().message, text);
}

TEST_F(Operations, AnUpdateIsShownByDescribe) {
  create("het-1");
  EXPECT_THAT(change(update_training_job,
                     R"({"TrainingJobName":"het-1","ResourceConfig":{"KeepAlivePeriodInSeconds":60},
                         "ProfilerConfig":{"DisableProfiler":true}})"),
              HasSubstr(R"({"TrainingJobArn":"arn:)"));
  const auto described = read(describe_training_job, R"({"TrainingJobName":"het-1"})");
  EXPECT_THAT(described, HasSubstr(R"("InstanceCount":1,"KeepAlivePeriodInSeconds":60})"));
  EXPECT_THAT(described, HasSubstr(R"("ProfilerConfig":{"DisableProfiler":true})"));
}

TEST_F(Operations, TagsAreAddedReplacedListedAndDeleted) {
  create("het-1");
  const std::string arn =
      R"("ResourceArn":"arn:aws:sagemaker:us-east-1:000000000000:training-job/het-1")";
  EXPECT_EQ(change(add_tags, "{" + arn + R"(,"Tags":[{"Key":"b","Value":"1"},{"Key":"a","Value":""}]})"),
            R"({"Tags":[{"Key":"a","Value":""},{"Key":"b","Value":"1"}]})");
  EXPECT_EQ(change(add_tags, "{" + arn + R"(,"Tags":[{"Key":"b","Value":"2"}]})"),
            R"({"Tags":[{"Key":"a","Value":""},{"Key":"b","Value":"2"}]})");
  EXPECT_EQ(change(delete_tags, "{" + arn + R"(,"TagKeys":["a","never"]})"), "{}");
  EXPECT_EQ(read(list_tags, "{" + arn + "}"), R"({"Tags":[{"Key":"b","Value":"2"}]})");
  EXPECT_THAT(read(list_tags, "{" + arn + R"(,"NextToken":"x"})"), HasSubstr("NextToken is not"));
  EXPECT_THAT(read(describe_training_job, R"({"TrainingJobName":"het-1"})"),
              testing::Not(HasSubstr("Tags")));
}

TEST_F(Operations, TagsThatTheServiceDoesNotAllowAreRefused) {
  create("het-1");
  const std::string arn =
      R"({"ResourceArn":"arn:aws:sagemaker:us-east-1:000000000000:training-job/het-1","Tags":)";
  const auto add = [&](std::string_view tags) { return change(add_tags, arn + std::string(tags) + "}"); };
  EXPECT_THAT(add(R"([{"Key":"aws:x","Value":""}])"), HasSubstr("aws: prefixed tag key names"));
  EXPECT_THAT(add(R"([{"Key":"x","Value":""},{"Key":"x","Value":""}])"), HasSubstr("more than once"));
  std::string many = "[";
  for (int i = 0; i < 50; ++i)
    many += std::string(i > 0 ? "," : "") + R"({"Key":"k)" + std::to_string(i) + R"(","Value":""})";
  EXPECT_THAT(add(many + "]"), HasSubstr(R"("k49")"));
  EXPECT_EQ(add(R"([{"Key":"one more","Value":""}])"),
            "ValidationException: A resource has at most 50 tags.");
}

TEST_F(Operations, PathsOfThisMachineAreForThoseWhoMayNameThem) {
  const std::string body = edited("s3://out", "/out");
  EXPECT_THAT(try_create_body(body, LocalPaths::kRefused),
              HasSubstr("Value '/out' at 'outputDataConfig.s3OutputPath' failed to satisfy"));
  EXPECT_THAT(try_create_body(edited("s3://out", "file:///out"), LocalPaths::kRefused),
              HasSubstr("ValidationException"));
  EXPECT_THAT(try_create_body(edited("s3://out", "out"), LocalPaths::kAllowed),
              HasSubstr("Value 'out' at 'outputDataConfig.s3OutputPath'"));
  EXPECT_THAT(try_create_body(body, LocalPaths::kAllowed), HasSubstr("TrainingJobArn"));
  EXPECT_EQ(store_->find("het-1")->spec.output_uri, "file:///out");
}

TEST_F(Operations, WhatTheMachineCannotDoAndWhatHasNoEffectIsTold) {
  options_.complete = [](jobs::JobSpec& spec, std::vector<std::string>& notices) -> Status {
    if (spec.groups[0].count > 1) return failure(ErrorCode::kLimitExceeded, "too large");
    notices.push_back("seen");
    return ok();
  };
  EXPECT_EQ(try_create_body(edited(R"("InstanceCount":1)", R"("InstanceCount":2)"), LocalPaths::kRefused),
            "ResourceLimitExceeded: too large");
  create("het-1");
  EXPECT_THAT(store_->find("het-1")->notices, testing::Contains("seen"));
}

TEST_F(Operations, ListsTakeEveryFilterAndPageWhatIsLeft) {
  for (int i = 0; i < 25; ++i) create("job-" + std::to_string(i), 1000 + i);
  create("other", 5000);
  EXPECT_THAT(names(R"({"NameContains":"job"})"), testing::SizeIs(10));
  EXPECT_THAT(pages(R"("NameContains":"job","MaxResults":7)"), testing::SizeIs(25));
  EXPECT_THAT(names(R"({"SortOrder":"Descending","MaxResults":2})"), ElementsAre("other", "job-24"));
  EXPECT_THAT(names(R"({"SortBy":"Name","SortOrder":"Descending","MaxResults":1})"), ElementsAre("other"));
  EXPECT_THAT(names(R"({"CreationTimeAfter":1023.0005,"CreationTimeBefore":5000})"), ElementsAre("job-24"));
  EXPECT_THAT(names(R"({"CreationTimeAfter":4999,"LastModifiedTimeAfter":-1e300,"LastModifiedTimeBefore":1e300})"),
              ElementsAre("other"));
  EXPECT_THAT(names(R"({"StatusEquals":"Completed"})"), ElementsAre());
  EXPECT_THAT(names(R"({"WarmPoolStatusEquals":"Available"})"), ElementsAre());
}

TEST_F(Operations, ATokenServesTheRequestThatItCameWithAndNoOther) {
  for (int i = 0; i < 5; ++i) create("job-" + std::to_string(i), 1000 + i);
  const auto token = token_in(read(list_training_jobs, R"({"MaxResults":2})"));
  const auto with = [&](const std::string& text) {
    return read(list_training_jobs, R"({"MaxResults":1,"NextToken":")" + text + R"("})");
  };
  EXPECT_THAT(with(token), HasSubstr("job-2"));
  const std::string refusal =
      "ValidationException: NextToken is not one that was returned for this request";
  EXPECT_EQ(read(list_training_jobs, R"({"SortBy":"Name","NextToken":")" + token + R"("})"), refusal);
  for (std::size_t i = 0; i < token.size(); ++i) {
    std::string other = token;
    other[i] = other[i] == '1' ? '2' : '1';
    EXPECT_EQ(with(other), refusal) << i;
    EXPECT_EQ(with(token.substr(0, i)), refusal) << i;
  }
  EXPECT_EQ(with("\u00ff"), refusal);
}

TEST(PageToken, RoundTripsEveryKey) {
  const auto input = document::read(R"({"SortBy":"Name"})").value();
  for (const jobs::PageKey& key : {jobs::PageKey{}, jobs::PageKey{"a.b", -5, 7},
                                   jobs::PageKey{"", INT64_MAX, INT64_MIN}})
    EXPECT_EQ(key_in(token_of(key, input), input).value(), key);
}

TEST(IsoTime, ReadsTheFormsThatClientsWrite) {
  EXPECT_EQ(time_from_iso("1970-01-02"), from_millis(86'400'000));
  EXPECT_EQ(time_from_iso("2026-11-30T10:11:12"), from_millis(1796033472000));
  EXPECT_EQ(time_from_iso("2026-11-30T10:11:12.3456Z"), from_millis(1796033472345));
  EXPECT_EQ(time_from_iso("2026-11-30T11:11:12+01:00"), from_millis(1796033472000));
  EXPECT_EQ(time_from_iso("2026-11-30T10:11"), from_millis(1796033460000));
  for (const std::string_view text : {"", "2026", "2026-13-01", "2026-02-30", "2026-11-30T25:00",
                                      "2026-11-30x", "2026-11-30T10:11:12.", "20261130"})
    EXPECT_FALSE(time_from_iso(text)) << text;
}

}  // namespace
}  // namespace evener::operations
