#include <gmock/gmock.h>

#include "training/runner/small_job_test.h"

namespace evener::runner {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

std::string file_of(const jobs::TrainingJob& job, const std::string& host,
                    const std::string& name) {
  const auto files = contract_files(job, facts_of(host));
  const auto found = files.find("input/config/" + name);
  return found == files.end() ? "absent" : found->second;
}

TEST(ContractFiles, NameHostsAndGroupsInResourceConfig) {
  EXPECT_EQ(file_of(small_job(), "algo-3", "resourceconfig.json"),
            R"({"current_host": "algo-3", "current_instance_type": "ml.g5.xlarge", )"
            R"("current_group_name": "dnn_group", "hosts": ["algo-1", "algo-2", "algo-3"], )"
            R"("instance_groups": [{"instance_group_name": "data_group", "instance_type": )"
            R"("ml.c5.xlarge", "hosts": ["algo-1", "algo-2"]}, {"instance_group_name": )"
            R"("dnn_group", "instance_type": "ml.g5.xlarge", "hosts": ["algo-3"]}], )"
            R"("network_interface_name": "eth0"})");
}

TEST(ContractFiles, NameTheGroupOfAHomogeneousJobToo) {
  jobs::TrainingJob job = small_job();
  job.spec.heterogeneous = false;
  job.spec.channels.clear();
  job.spec.groups = {
      {.name = "homogeneousCluster", .instance_type = "ml.c5.xlarge", .count = 11, .shape = {}}};
  const std::string text = file_of(job, "algo-2", "resourceconfig.json");
  EXPECT_THAT(text, HasSubstr(R"("current_group_name": "homogeneousCluster")"));
  EXPECT_THAT(text, HasSubstr(R"("algo-9", "algo-10", "algo-11"])"));
  EXPECT_EQ(file_of(job, "algo-2", "inputdataconfig.json"), "{}");
}

TEST(ContractFiles, ShowAHostOnlyTheChannelsOfItsGroup) {
  EXPECT_EQ(file_of(small_job(), "algo-1", "inputdataconfig.json"),
            R"({"raw":{"TrainingInputMode":"File","S3DistributionType":"ShardedByS3Key",)"
            R"("RecordWrapperType":"None"},"labels":{"ContentType":"text/csv",)"
            R"("TrainingInputMode":"File","S3DistributionType":"FullyReplicated",)"
            R"("RecordWrapperType":"None"}})");
  EXPECT_THAT(file_of(small_job(), "algo-3", "inputdataconfig.json"), Not(HasSubstr("raw")));
  EXPECT_EQ(channels_of_host(small_job(), "algo-3").size(), 1u);
  EXPECT_EQ(channels_of_host(small_job(), "algo-1").size(), 2u);
}

TEST(ContractFiles, HoldHyperparametersAsStrings) {
  EXPECT_EQ(file_of(small_job(), "algo-1", "hyperparameters.json"),
            R"({"epochs":"3","lr":"0.1","n":"\"a b\"","sagemaker_program":"\"train.py\"",)"
            R"("sagemaker_submit_directory":"\"file:///src\""})");
}

TEST(ContractFiles, CountHostsFromOneInInitConfig) {
  const std::string text = file_of(small_job(), "algo-2", "init-config.json");
  EXPECT_THAT(text, HasSubstr(R"("hostConfig":{"clusterSize":3,"hostNumber":2})"));
  EXPECT_THAT(text, HasSubstr(R"("raw":{"s3DataSource":{"s3DataType":"S3_PREFIX","s3Uri":)"
                              R"("s3://b/raw/","s3DataDistributionType":"SHARDED_BY_S3_KEY",)"
                              R"("attributeNames":null},"fileSystemDataSource":null,)"
                              R"("compressionType":"NONE","recordWrapper":"NONE",)"
                              R"("shuffleConfig":null,"inputMode":"FILE","sharded":true})"));
  EXPECT_THAT(text, Not(HasSubstr("checkpointChannel")));
}

TEST(ContractFiles, SpellTheRequestAsTheServiceInTrainingJobConfig) {
  jobs::TrainingJob job = small_job();
  job.spec.request_json =
      R"({"TrainingJobName":"het","InputDataConfig":[{"ChannelName":"raw","DataSource":)"
      R"({"S3DataSource":{"S3DataType":"S3Prefix","S3Uri":"s3://b/raw/"}}}],)"
      R"("OutputDataConfig":{"S3OutputPath":"file:///out"}})";
  const std::string text = file_of(job, "algo-1", "trainingjobconfig.json");
  EXPECT_THAT(text, HasSubstr(R"("S3DataType":"S3_PREFIX")"));
  EXPECT_THAT(text, HasSubstr(R"("S3DataDistributionType":"FULLY_REPLICATED")"));
  EXPECT_THAT(text, HasSubstr(R"("CompressionType":"NONE")"));
  EXPECT_THAT(text, HasSubstr(R"("KmsKeyId":"")"));
  EXPECT_THAT(text, HasSubstr(R"("Tags":[],"BaseTags":[])"));
  EXPECT_THAT(text, HasSubstr(R"("TrainingJobArn":"arn:aws:sagemaker:eu-west-1)"));
}

TEST(ContractFiles, AreThereForWhatIsConfigured) {
  jobs::TrainingJob job = small_job();
  EXPECT_EQ(file_of(job, "algo-1", "metric-definition-regex.json"), "[]");
  EXPECT_EQ(file_of(job, "algo-1", "upstreamoutputdataconfig.json"), "[]");
  EXPECT_EQ(file_of(job, "algo-1", "checkpointconfig.json"), "absent");
  EXPECT_EQ(file_of(job, "algo-1", "debughookconfig.json"), "absent");
  job.spec.metric_definitions = {{.name = "loss", .regex = "loss=(.*?);"}};
  job.spec.checkpoint_uri = "file:///state";
  job.spec.checkpoint_path = "/state";
  job.spec.request_json = R"({"DebugHookConfig":{"S3OutputPath":"s3://b/"},)"
                          R"("TensorBoardOutputConfig":{"S3OutputPath":"s3://b/"}})";
  EXPECT_EQ(file_of(job, "algo-1", "metric-definition-regex.json"),
            R"([{"Name":"loss","Regex":"loss=(.*?);"}])");
  EXPECT_EQ(file_of(job, "algo-1", "checkpointconfig.json"), R"({"LocalPath":"/state"})");
  EXPECT_EQ(file_of(job, "algo-1", "debughookconfig.json"),
            R"({"S3OutputPath":"file:///out/het/debug-output","LocalPath":"/opt/ml/output/tensors",)"
            R"("HookParameters":null,"CollectionConfigurations":null})");
  EXPECT_THAT(file_of(job, "algo-1", "init-config.json"), HasSubstr("checkpointChannel"));
  EXPECT_THAT(contract_folders(job), Contains("output/tensorboard"));
}

TEST(ContractFiles, UseNamesThatAreReachable) {
  InstanceFacts facts = facts_of("algo-2");
  facts.reachable_names = {
      {"algo-1", "127.1.0.1"}, {"algo-2", "127.1.0.2"}, {"algo-3", "127.1.0.3"}};
  facts.interface_name = "lo";
  const auto files = contract_files(small_job(), facts);
  const std::string& text = files.at("input/config/resourceconfig.json");
  EXPECT_THAT(text, HasSubstr(R"("current_host": "127.1.0.2")"));
  EXPECT_THAT(text, HasSubstr(R"("network_interface_name": "lo")"));
  EXPECT_THAT(text, Not(HasSubstr("algo-")));
}

TEST(ContractFiles, NameTheFoldersOfEveryInstance) {
  for (const char* folder : {"input/config", "input/data", "model", "code", "checkpoints",
                             "output/data", "output/metrics/sagemaker"})
    EXPECT_THAT(contract_folders(small_job()), Contains(folder));
}

}  // namespace
}  // namespace evener::runner
