#include <gmock/gmock.h>

#include "training/api/api.h"
#include "training/api/request_body_test.h"

namespace evener::api {
namespace {

using testing::HasSubstr;
using testing::Not;

jobs::TrainingJob finished_job() {
  jobs::TrainingJob job;
  job.spec = parse_create_training_job(
                 with_members(R"("Tags":[{"Key":"a","Value":"b"}],"Future":1)"))->spec;
  job.arn = "arn:aws:sagemaker:us-east-1:000000000000:training-job/het-1";
  job.status = jobs::JobStatus::kCompleted;
  job.secondary = jobs::SecondaryStatus::kCompleted;
  job.created = from_millis(1'796'033'472'345);
  job.training_start = from_millis(1'796'033'500'100);
  job.training_end = from_millis(1'796'033'800'900);
  job.last_modified = from_millis(1'796'033'801'200);
  job.transitions = {{.status = jobs::SecondaryStatus::kStarting,
                      .start = from_millis(1'796'033'472'345),
                      .end = from_millis(1'796'033'500'100),
                      .message = "Preparing the instances for training"},
                     {.status = jobs::SecondaryStatus::kTraining,
                      .start = from_millis(1'796'033'500'100),
                      .end = std::nullopt,
                      .message = "Training in progress."}};
  return job;
}

TEST(Describe, ShowsAFinishedJobAsTheServiceDoes) {
  const std::string body = describe_training_job(finished_job());
  for (const std::string_view piece :
       {R"("TrainingJobName":"het-1")", R"("TrainingJobStatus":"Completed")",
        R"("SecondaryStatus":"Completed")",
        R"("ModelArtifacts":{"S3ModelArtifacts":"s3://out/het-1/output/model.tar.gz"})",
        R"("OutputDataConfig":{"S3OutputPath":"s3://out/","KmsKeyId":"","CompressionType":"GZIP"})",
        R"("CreationTime":1796033472.345,"TrainingStartTime":1796033500.100)",
        R"({"Status":"Starting","StartTime":1796033472.345,"EndTime":1796033500.100,)"
        R"("StatusMessage":"Preparing the instances for training"})",
        R"({"Status":"Training","StartTime":1796033500.100,"StatusMessage":"Training in progress."})",
        R"("TrainingTimeInSeconds":301)", R"("BillableTimeInSeconds":)",
        R"("EnableNetworkIsolation":false)", R"("CompressionType":"None","RecordWrapperType":"None")",
        R"("EnableSageMakerMetricsTimeSeries":false)", R"("Future":1)",
        R"("HyperParameters":{"epochs":"3")", R"("InstanceGroups":[{"InstanceGroupName":"data_group")"})
    EXPECT_THAT(body, HasSubstr(std::string(piece)));
  EXPECT_THAT(body, Not(HasSubstr("Tags")));
  EXPECT_THAT(body, Not(HasSubstr("FailureReason")));
}

TEST(Describe, LeavesOutWhatHasNotHappened) {
  jobs::TrainingJob job = finished_job();
  job.training_start.reset();
  job.training_end.reset();
  job.failure_reason = "AlgorithmError: Exit Code: 1";
  const std::string body = describe_training_job(job);
  for (const char* piece : {"TrainingStartTime", "TrainingEndTime", "TrainingTimeInSeconds",
                            "BillableTimeInSeconds"})
    EXPECT_THAT(body, Not(HasSubstr(piece)));
  EXPECT_THAT(body, HasSubstr(R"("FailureReason":"AlgorithmError: Exit Code: 1")"));
}

TEST(Describe, CountsASecondOfTrainingThatHasBegun) {
  jobs::TrainingJob job = finished_job();
  for (const auto& [millis, seconds] : {std::pair{0, 1}, {999, 1}, {1'000, 1}, {1'001, 2}}) {
    job.training_end = *job.training_start + std::chrono::milliseconds(millis);
    EXPECT_THAT(describe_training_job(job),
                HasSubstr("\"TrainingTimeInSeconds\":" + std::to_string(seconds) + ",")) << millis;
  }
}

TEST(Describe, NamesTheModelFolderWhereResultsAreNotCompressed) {
  jobs::TrainingJob job = finished_job();
  job.spec.compress_output = false;
  EXPECT_THAT(describe_training_job(job), HasSubstr(R"("s3://out/het-1/output/model")"));
}

TEST(Describe, ShowsTheLastValuesOfMetricsOnceThereAreAny) {
  jobs::TrainingJob job = finished_job();
  EXPECT_THAT(describe_training_job(job), Not(HasSubstr("FinalMetricDataList")));
  job.final_metrics = {{"train:loss", 0.25, from_millis(1'796'033'780'000)}, {"epoch", 3, {}}};
  EXPECT_THAT(describe_training_job(job),
              HasSubstr(R"("FinalMetricDataList":[{"MetricName":"train:loss","Value":0.25,)"
                        R"("Timestamp":1796033780.000},{"MetricName":"epoch","Value":3,)"));
}

TEST(Describe, SummarizesAJob) {
  EXPECT_EQ(summarize_training_job(finished_job()),
            R"({"TrainingJobName":"het-1","TrainingJobArn":)"
            R"("arn:aws:sagemaker:us-east-1:000000000000:training-job/het-1",)"
            R"("CreationTime":1796033472.345,"TrainingEndTime":1796033800.900,)"
            R"("LastModifiedTime":1796033801.200,"TrainingJobStatus":"Completed",)"
            R"("SecondaryStatus":"Completed"})");
}

}  // namespace
}  // namespace evener::api
