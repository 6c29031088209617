#include <gmock/gmock.h>

#include "training/api/api.h"
#include "training/api/flag_forms.h"

namespace evener::api {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TrainFlags small() {
  TrainFlags flags;
  flags.name = "j";
  flags.entry_point = "train.py";
  flags.source_dir = "src";
  flags.output = "out";
  return flags;
}

std::string error_of(const TrainFlags& flags) {
  const Result<std::string> body = request_from_flags(flags, "/base");
  return body ? "accepted: " + *body : body.error().message;
}

TEST(Flags, ANameGivenTwiceIsRefused) {
  TrainFlags flags = small();
  flags.hyperparameters = {"a=1", "b=1", "a=2"};
  EXPECT_EQ(error_of(flags), "--hyperparameter: a is given twice; give it once");
  flags.hyperparameters = {};
  flags.environment = {"A=1", "A=1"};
  EXPECT_EQ(error_of(flags), "--env: A is given twice; give it once");
}

TEST(Flags, TextThatIsNoUtf8IsRefused) {
  TrainFlags flags = small();
  flags.hyperparameters = {"a=\xff"};
  EXPECT_THAT(error_of(flags), HasSubstr("not UTF-8"));
}

TEST(Flags, BecomeTheBodyOfARequest) {
  TrainFlags flags = small();
  flags.groups = {"data_group=ml.c5.2xlarge:2", "dnn_group=ml.g5.2xlarge"};
  flags.channels = {"raw=photos@data_group:sharded", "labels=/in/labels:content-type=text/csv"};
  flags.hyperparameters = {"epochs=3"};
  flags.environment = {"A=b=c"};
  flags.auxiliary_groups = {"data_group"};
  flags.max_runtime = "1h";
  flags.network_isolation = true;
  EXPECT_EQ(
      *request_from_flags(flags, "/base"),
      R"({"TrainingJobName":"j","HyperParameters":{"epochs":"3","sagemaker_program":"\"train.py\"",)"
      R"("sagemaker_submit_directory":"\"file:///base/src\""},)"
      R"("AlgorithmSpecification":{"TrainingInputMode":"File"},)"
      R"("RoleArn":"arn:aws:iam::000000000000:role/local","InputDataConfig":[)"
      R"({"ChannelName":"raw","DataSource":{"S3DataSource":{"S3DataType":"S3Prefix",)"
      R"("S3Uri":"file:///base/photos","S3DataDistributionType":"ShardedByS3Key",)"
      R"("InstanceGroupNames":["data_group"]}}},)"
      R"({"ChannelName":"labels","DataSource":{"S3DataSource":{"S3DataType":"S3Prefix",)"
      R"("S3Uri":"file:///in/labels","S3DataDistributionType":"FullyReplicated",)"
      R"("InstanceGroupNames":["data_group","dnn_group"]}},"ContentType":"text/csv"}],)"
      R"("OutputDataConfig":{"S3OutputPath":"file:///base/out"},"ResourceConfig":{)"
      R"("InstanceGroups":[{"InstanceGroupName":"data_group","InstanceType":"ml.c5.2xlarge",)"
      R"("InstanceCount":2},{"InstanceGroupName":"dnn_group","InstanceType":"ml.g5.2xlarge",)"
      R"("InstanceCount":1}]},"StoppingCondition":{"MaxRuntimeInSeconds":3600},)"
      R"("Environment":{"A":"b=c","EVENER_AUXILIARY_GROUPS":"data_group"},)"
      R"("EnableNetworkIsolation":true})");
}

TEST(Flags, MakeARequestThatIsAccepted) {
  TrainFlags flags = small();
  flags.channels = {"raw=data"};
  const Result<ParsedRequest> parsed =
      parse_create_training_job(*request_from_flags(flags, "/base"));
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_THAT(parsed->notices, ElementsAre());
  EXPECT_EQ(parsed->spec.groups[0].instance_type, "ml.m5.xlarge");
  EXPECT_EQ(parsed->spec.groups[0].name, "homogeneousCluster");
}

TEST(Flags, SendTheScriptAloneWithoutASourceFolder) {
  TrainFlags flags = small();
  flags.source_dir = "";
  flags.entry_point = "code/train.py";
  EXPECT_THAT(*request_from_flags(flags, "/base"),
              HasSubstr(R"("sagemaker_program":"\"train.py\"",)"
                        R"("sagemaker_submit_directory":"\"file:///base/code/train.py\"")"));
}

TEST(Flags, ReadChannelsFromTheRight) {
  struct Case {
    std::string_view text, path;
    std::vector<std::string> groups;
    bool sharded;
  };
  const Case cases[] = {
      {"a=/x", "/x", {}, false},
      {"a=/x:y@z/w:sharded", "/x:y@z/w", {}, true},
      {"a=/with space/\xc3\xa9@g:gzip:sharded", "/with space/\xc3\xa9", {"g"}, true},
      {"a=me@host@g,h", "me@host", {"g", "h"}, false},
      {"a=/data/user@host", "/data/user@host", {}, false},
      {"a=b=c", "b=c", {}, false},
      {"a=s3://b/k:sharded:manifest", "s3://b/k", {}, true},
      {"a=/x:gzip/", "/x:gzip/", {}, false},
  };
  for (const Case& each : cases) {
    const Result<ChannelForm> form = parse_channel(each.text, {"g", "h"});
    ASSERT_TRUE(form) << each.text << form.error().message;
    EXPECT_EQ(form->path, each.path);
    EXPECT_EQ(form->groups, each.groups) << each.text;
    EXPECT_EQ(form->sharded, each.sharded) << each.text;
  }
  EXPECT_EQ(parse_channel("a=/x:content-type=text/csv:gzip", {})->content_type, "text/csv");
  EXPECT_TRUE(parse_channel("a=/x:content-type=text/csv:gzip", {})->gzip);
}

TEST(Flags, GiveTheScriptWhatWasTyped) {
  TrainFlags flags = small();
  flags.hyperparameters = {"a=0.1", "b=1.10", "c=1e-3", "d=true", "e=007", "f=[1, 2]",
                           "g=word", "h=-5",  "i=-0",  "j=\"q\"", "k="};
  EXPECT_THAT(*request_from_flags(flags, "/"),
              HasSubstr(R"("a":"0.1","b":"\"1.10\"","c":"\"1e-3\"","d":"\"true\"","e":"007",)"
                        R"("f":"[1, 2]","g":"word","h":"-5","i":"\"-0\"","j":"\"\\\"q\\\"\"","k":"")"));
}

TEST(Flags, SayWhichFlagIsWrongAndItsForm) {
  struct Case {
    void (*change)(TrainFlags&);
    std::string_view error;
  };
  const Case cases[] = {
      {[](TrainFlags& f) { f.entry_point = ""; }, "--entry-point is missing"},
      {[](TrainFlags& f) { f.entry_point = "/abs/train.py"; }, "relative to it"},
      {[](TrainFlags& f) { f.entry_point = "../train.py"; }, "must lie inside --source-dir"},
      {[](TrainFlags& f) { f.groups = {"g=ml.c5.large:0"}; }, "at least 1; the form is NAME=TYPE"},
      {[](TrainFlags& f) { f.groups = {"g="}; }, "the instance type is missing"},
      {[](TrainFlags& f) { f.groups = {"=x:1"}; }, "the name is missing"},
      {[](TrainFlags& f) { f.groups = {"x:1", "y:1"}; }, "several groups need names"},
      {[](TrainFlags& f) { f.channels = {"/data"}; }, "--channel '/data': NAME= is missing"},
      {[](TrainFlags& f) { f.channels = {"a=:sharded"}; }, "the path is missing"},
      {[](TrainFlags& f) { f.groups = {"data=x:1"}; f.channels = {"a=/x@dta"}; },
       "there is no --group 'dta'; did you mean 'data'?"},
      {[](TrainFlags& f) { f.hyperparameters = {"epochs"}; }, "--hyperparameter 'epochs'"},
      {[](TrainFlags& f) { f.environment = {"=1"}; }, "--env '=1'"},
      {[](TrainFlags& f) { f.max_runtime = "soon"; }, "--max-runtime"},
  };
  for (const Case& each : cases) {
    TrainFlags flags = small();
    each.change(flags);
    EXPECT_THAT(error_of(flags), HasSubstr(std::string(each.error)));
  }
}

TEST(Flags, NameAJobAfterItsScriptAndTime) {
  const WallTime now = from_millis(1'796'033'472'045);
  EXPECT_EQ(default_job_name("src/train_v2.py", now), "train-v2-2026-11-30-10-11-12-045");
  EXPECT_EQ(default_job_name("__.py", now), "job-2026-11-30-10-11-12-045");
  const std::string longest = default_job_name(std::string(200, 'x') + ".py", now);
  EXPECT_EQ(longest.size(), 63u);
  TrainFlags flags = small();
  flags.name = "";
  flags.default_name = "train-1";
  EXPECT_THAT(*request_from_flags(flags, "/"), HasSubstr(R"("TrainingJobName":"train-1")"));
}

}  // namespace
}  // namespace evener::api
