#include <gmock/gmock.h>

#include <random>

#include "base/document.h"
#include "training/api/api.h"
#include "training/api/request_body_test.h"

namespace evener::api {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

std::string error_of(std::string_view body) {
  const Result<ParsedRequest> parsed = parse_create_training_job(body);
  return parsed ? "accepted" : parsed.error().message;
}

void expect_unsupported(std::string_view body, std::string_view text) {
  const Result<ParsedRequest> parsed = parse_create_training_job(body);
  ASSERT_FALSE(parsed) << text;
  EXPECT_EQ(parsed.error().code, ErrorCode::kUnsupported) << parsed.error().message;
  EXPECT_THAT(parsed.error().message, HasSubstr(std::string(text)));
}

TEST(Request, ReadsEveryPartOfAHeterogeneousJob) {
  const Result<ParsedRequest> parsed = parse_create_training_job(kTwoGroups);
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_THAT(parsed->notices, ElementsAre());
  const jobs::JobSpec& spec = parsed->spec;
  EXPECT_EQ(spec.name, "het-1");
  EXPECT_THAT(spec.hyperparameters, ElementsAre(Pair("epochs", "3"),
                                                Pair("sagemaker_program", "\"train.py\"")));
  ASSERT_EQ(spec.groups.size(), 2u);
  EXPECT_EQ(spec.groups[0].name, "data_group");
  EXPECT_EQ(spec.groups[0].count, 2);
  EXPECT_EQ(spec.groups[1].instance_type, "ml.g5.xlarge");
  EXPECT_TRUE(spec.heterogeneous);
  ASSERT_EQ(spec.channels.size(), 2u);
  EXPECT_EQ(spec.channels[0].distribution, jobs::Distribution::kShardedByS3Key);
  EXPECT_THAT(spec.channels[0].groups, ElementsAre("data_group"));
  EXPECT_EQ(spec.channels[1].uri, "file:///in/labels");
  EXPECT_EQ(spec.channels[1].content_type, "text/csv");
  EXPECT_EQ(spec.output_uri, "s3://out/");
  EXPECT_EQ(spec.max_runtime, std::chrono::seconds(3600));
}

TEST(Request, GivesAJobWithoutGroupsTheGroupHomogeneousCluster) {
  const Result<ParsedRequest> parsed = parse_create_training_job(R"({"TrainingJobName":"j",
    "AlgorithmSpecification":{"TrainingInputMode":"File","ContainerEntrypoint":["/bin/echo"],
      "ContainerArguments":["a b"]},
    "RoleArn":"arn:aws:iam::000000000000:role/local","OutputDataConfig":{"S3OutputPath":"out"},
    "ResourceConfig":{"InstanceType":"local","InstanceCount":2}})", "/base/job");
  ASSERT_TRUE(parsed) << parsed.error().message;
  ASSERT_EQ(parsed->spec.groups.size(), 1u);
  EXPECT_EQ(parsed->spec.groups[0].name, "homogeneousCluster");
  EXPECT_EQ(parsed->spec.groups[0].count, 2);
  EXPECT_FALSE(parsed->spec.heterogeneous);
  EXPECT_EQ(parsed->spec.output_uri, "file:///base/job/out");
  EXPECT_THAT(parsed->spec.request_json, HasSubstr("file:///base/job/out"));
  EXPECT_THAT(parsed->spec.entrypoint, ElementsAre("/bin/echo"));
  EXPECT_THAT(parsed->spec.arguments, ElementsAre("a b"));
}

TEST(Request, RefusesARelativePathWithoutAFolder) {
  EXPECT_THAT(error_of(edited("file:///in/labels", "in/labels")),
              HasSubstr("Value 'in/labels' at "
                        "'inputDataConfig.2.member.dataSource.s3DataSource.s3Uri' failed"));
}

TEST(Request, WordsConstraintsAsAws) {
  const std::string name64(64, 'a');
  EXPECT_EQ(error_of(edited("het-1", name64)),
            "2 validation errors detected: Value '" + name64 +
                "' at 'trainingJobName' failed to satisfy constraint: Member must have length less "
                "than or equal to 63; Value '" + name64 +
                "' at 'trainingJobName' failed to satisfy constraint: Member must satisfy regular "
                "expression pattern: [a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}");
  EXPECT_EQ(error_of(edited("S3Prefix", "Prefix")),
            "1 validation error detected: Value 'Prefix' at "
            "'inputDataConfig.1.member.dataSource.s3DataSource.s3DataType' failed to satisfy "
            "constraint: Member must satisfy enum value set: [ManifestFile, S3Prefix, "
            "AugmentedManifestFile, Converse]");
  EXPECT_EQ(error_of(edited("\"MaxRuntimeInSeconds\":3600", "\"MaxRuntimeInSeconds\":0")),
            "1 validation error detected: Value '0' at 'stoppingCondition.maxRuntimeInSeconds' "
            "failed to satisfy constraint: Member must have value greater than or equal to 1");
  EXPECT_EQ(error_of(edited("\"InstanceCount\":1", "\"InstanceCount\":0")),
            "1 validation error detected: Value '0' at "
            "'resourceConfig.instanceGroups.2.member.instanceCount' failed to satisfy constraint: "
            "Member must have value greater than or equal to 1");
  EXPECT_EQ(error_of(edited(" \"RoleArn\":\"arn:aws:iam::000000000000:role/local\",", "")),
            "1 validation error detected: Value null at 'roleArn' failed to satisfy constraint: "
            "Member must not be null");
  EXPECT_THAT(error_of(edited("\"epochs\":\"3\"", "\"big\":\"" + std::string(2501, 'x') + "\"")),
              HasSubstr("at 'hyperParameters' failed to satisfy constraint: Map value must satisfy "
                        "constraint: [Member must have length less than or equal to 2500, Member "
                        "must have length greater than or equal to 0, Member must satisfy regular "
                        "expression pattern: .*]"));
  EXPECT_THAT(error_of(edited("ml.c5.xlarge", "")), HasSubstr("instanceType"));
}

TEST(Request, RefusesSixGroups) {
  std::string six;
  for (int i = 0; i < 4; ++i)
    six += R"({"InstanceGroupName":"g)" + std::to_string(i) +
           R"(","InstanceType":"ml.c5.xlarge","InstanceCount":1},)";
  EXPECT_EQ(error_of(edited("\"InstanceGroups\":[", "\"InstanceGroups\":[" + six)),
            "1 validation error detected: Value '[...]' at 'resourceConfig.instanceGroups' failed "
            "to satisfy constraint: Member must have length less than or equal to 5");
}

TEST(Request, SaysWhichMemberHasTheWrongType) {
  EXPECT_EQ(error_of(edited("\"epochs\":\"3\"", "\"epochs\":3")),
            "'hyperParameters.epochs' must be a string, not a whole number (write it in quotes)");
  EXPECT_EQ(error_of("[]"), "'the body' must be an object, not a list");
  EXPECT_EQ(error_of(edited("\"InstanceCount\":2", "\"InstanceCount\":2.5")),
            "'resourceConfig.instanceGroups.1.member.instanceCount' must be a whole number, not a "
            "number");
}

TEST(Request, EnforcesTheRulesBetweenMembers) {
  struct Case {
    std::string body, error;
  };
  const Case cases[] = {
      {edited("\"VolumeSizeInGB\":30", "\"InstanceType\":\"ml.m5.large\""),
       "InstanceType or InstanceCount cannot be specified with InstanceGroups"},
      {edited("\"InstanceGroupName\":\"dnn_group\"", "\"InstanceGroupName\":\"data_group\""),
       "InstanceGroupName must be unique within a job: 'data_group' is given more than once"},
      {edited("[\"data_group\"]", "[\"data_grup\"]"),
       "channel 'raw' names the instance group 'data_grup', which the job does not have (groups: "
       "data_group, dnn_group); did you mean 'data_group'?"},
      {edited(",\"InstanceGroupNames\":[\"data_group\"]", ""),
       "Some channels have assigned instance groups: [labels] while others not: [raw]"},
      {edited("\"labels\"", "\"raw\""), "ChannelName must be unique within a job: 'raw'"},
      {edited("\"labels\"", "\"..\""), "ChannelName '..' cannot be the name of a folder"},
      {edited("\"labels\"", "\"raw-manifest\""), "is taken by the list of objects"},
      {edited("\"MaxRuntimeInSeconds\":3600", "\"MaxWaitTimeInSeconds\":3600"),
       "MaxWaitTimeInSeconds can be given only with EnableManagedSpotTraining"},
      {edited("\"MaxRuntimeInSeconds\":3600", "\"MaxRuntimeInSeconds\":2419201"), "28 days"},
      {edited("\"InstanceCount\":2", "\"InstanceCount\":9223372036854775807"), "at most 256"},
      {edited("\"VolumeSizeInGB\":30", "\"KeepAlivePeriodInSeconds\":60"),
       "KeepAlivePeriodInSeconds cannot be used with InstanceGroups"},
      {edited("\"DataSource\":{", "\"DataSource\":{\"FileSystemDataSource\":{\"FileSystemId\":"
              "\"fs-01234567\",\"FileSystemAccessMode\":\"ro\",\"FileSystemType\":\"EFS\","
              "\"DirectoryPath\":\"/x\"},"), "must have exactly one of"},
      {with_members(R"("Tags":[{"Key":"a","Value":"1"},{"Key":"a","Value":"2"}])"),
       "the tag key 'a' is given more than once"},
  };
  for (const Case& each : cases) EXPECT_THAT(error_of(each.body), HasSubstr(each.error));
}

TEST(Request, TakesARelativeSourceFromTheFolderOfTheJobFile) {
  const auto source_of = [](const std::string& written) {
    const Result<ParsedRequest> parsed = parse_create_training_job(
        R"({"TrainingJobName":"j","AlgorithmSpecification":{"TrainingInputMode":"File"},
            "RoleArn":"arn:aws:iam::000000000000:role/local",
            "HyperParameters":{"sagemaker_submit_directory":)" + written + R"(},
            "OutputDataConfig":{"S3OutputPath":"out"},
            "ResourceConfig":{"InstanceType":"local","InstanceCount":1}})", "/base/job");
    return parsed ? parsed->spec.hyperparameters.at("sagemaker_submit_directory")
                  : parsed.error().message;
  };
  EXPECT_EQ(source_of(R"("source")"), "file:///base/job/source");
  EXPECT_EQ(source_of(R"("\"../source\"")"), R"("file:///base/source")");
  EXPECT_EQ(source_of(R"("/opt/ml/code")"), "/opt/ml/code");
  EXPECT_EQ(source_of(R"("s3://bucket/source.tar.gz")"), "s3://bucket/source.tar.gz");
}

TEST(Request, DoesNotTakeAnUnknownKindOfSourceForOne) {
  EXPECT_THAT(error_of(edited("S3DataSource", "S3DataXSource")), HasSubstr("0 are given"));
}

TEST(Request, RefusesGroupNamesInAJobWithoutGroups) {
  const std::string body = edited(
      R"("InstanceGroups":[
  {"InstanceGroupName":"data_group","InstanceType":"ml.c5.xlarge","InstanceCount":2},
  {"InstanceGroupName":"dnn_group","InstanceType":"ml.g5.xlarge","InstanceCount":1}])",
      R"("InstanceType":"ml.c5.xlarge","InstanceCount":1)");
  EXPECT_THAT(error_of(body), HasSubstr("the job has no InstanceGroups"));
}

TEST(Request, RefusesFeaturesOfLaterVersionsByName) {
  expect_unsupported(edited("\"TrainingInputMode\":\"File\"", "\"TrainingInputMode\":\"Pipe\""),
                     "TrainingInputMode Pipe");
  expect_unsupported(edited("\"ContentType\":\"text/csv\"", "\"InputMode\":\"FastFile\""),
                     "channel 'labels': InputMode FastFile");
  expect_unsupported(edited("\"ContentType\":\"text/csv\"", "\"RecordWrapperType\":\"RecordIO\""),
                     "RecordIO");
  expect_unsupported(edited("S3Prefix", "AugmentedManifestFile"), "AugmentedManifestFile");
  expect_unsupported(with_members(R"("CheckpointConfig":{"S3Uri":"s3://b/c"})"),
                     "CheckpointConfig");
  expect_unsupported(
      edited("\"MaxRuntimeInSeconds\":3600}",
             R"("MaxRuntimeInSeconds":3600,"MaxWaitTimeInSeconds":3600},
                "EnableManagedSpotTraining":true)"),
      "EnableManagedSpotTraining");
  const std::string homogeneous = R"({"TrainingJobName":"j","AlgorithmSpecification":{
      "TrainingInputMode":"File"},"RoleArn":"arn:aws:iam::000000000000:role/local",
    "OutputDataConfig":{"S3OutputPath":"s3://o/"},"InputDataConfig":[{"ChannelName":"c",
      "DataSource":{"FileSystemDataSource":{"FileSystemId":"fs-01234567",
        "FileSystemAccessMode":"ro","FileSystemType":"EFS","DirectoryPath":"/x"}}}],
    "ResourceConfig":{"InstanceType":"local","InstanceCount":1}})";
  expect_unsupported(homogeneous, "channel 'c': FileSystemDataSource");
}

TEST(Request, NamesMembersWithoutEffectAndUnknownOnes) {
  const Result<ParsedRequest> parsed = parse_create_training_job(with_members(
      R"("DebugHookConfig":{"S3OutputPath":"s3://b/","CollectionConfigurations":[]},
         "VpcConfig":{"SecurityGroupIds":["sg-1"],"Subnets":["s-1"]},
         "EnableInterContainerTrafficEncryption":false,
         "HyperParameter":{"a":"b"},"Future":{"deep":[1]})"));
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_THAT(parsed->notices,
              ElementsAre(HasSubstr("'HyperParameter' is no member that is known here: it is stored "
                                    "and has no effect; did you mean 'HyperParameters'?"),
                          HasSubstr("'Future' is no member"), HasSubstr("VpcConfig: no effect"),
                          HasSubstr("DebugHookConfig: no effect")));
  EXPECT_THAT(parsed->spec.request_json, HasSubstr(R"("Future":{"deep":[1]})"));
}

TEST(Request, AcceptsGzipInFileModeWithANotice) {
  const Result<ParsedRequest> parsed = parse_create_training_job(
      edited("\"ContentType\":\"text/csv\"", "\"CompressionType\":\"Gzip\""));
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->spec.channels[1].compression, jobs::Compression::kGzip);
  EXPECT_THAT(parsed->notices, Contains(HasSubstr("decompressed while they are staged")));
}

TEST(Request, SaysThatTheServicesOwnVariablesWin) {
  const Result<ParsedRequest> parsed =
      parse_create_training_job(with_members(R"("Environment":{"SM_HOSTS":"x","OTHER":"y"})"));
  ASSERT_TRUE(parsed);
  EXPECT_THAT(parsed->notices, ElementsAre(HasSubstr("Environment.SM_HOSTS")));
}

Result<ParsedRequest> with_environment(const std::string& map) {
  return parse_create_training_job(with_members("\"Environment\":{" + map + "}"));
}

TEST(Request, SetsEvenersOwnSettingsFromTheEnvironment) {
  const Result<ParsedRequest> parsed =
      with_environment(R"("EVENER_AUXILIARY_GROUPS":"data_group","EVENER_STOP_GRACE_SECONDS":"5",
                          "EVENER_FIT":"scaled:0.25","EVENER_SHUFFLE_HOSTS":"7","A":"b",
                          "EVENER_DATA_GROUPS":"data_group","EVENER_DATA_TOKEN":"0123456789abcdef",
                          "EVENER_DATA_TOKEN_FILE":"/opt/ml/input/data/keys/token")");
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_TRUE(parsed->spec.groups[0].auxiliary);
  EXPECT_FALSE(parsed->spec.groups[1].auxiliary);
  EXPECT_EQ(parsed->spec.stop_grace, std::chrono::seconds(5));
  EXPECT_EQ(parsed->spec.fit, jobs::Fit::kScaled);
  EXPECT_EQ(parsed->spec.fit_scale, 0.25);
  EXPECT_EQ(parsed->spec.shuffle_hosts_seed, 7u);
  EXPECT_EQ(parsed->spec.environment.at("A"), "b");
  EXPECT_EQ(with_environment(R"("EVENER_FIT":"strict")")->spec.fit, jobs::Fit::kStrict);
}

TEST(Request, RefusesWrongSettings) {
  struct Case {
    std::string map, error;
  };
  const Case cases[] = {
      {R"("EVENER_FITT":"share")", "did you mean 'EVENER_FIT'?"},
      {R"("EVENER_FIT":"tight")", "share, strict or scaled"},
      {R"("EVENER_FIT":"scaled:0")", "above 0"},
      {R"("EVENER_FIT":"scaled:nan")", "above 0"},
      {R"("EVENER_STOP_GRACE_SECONDS":"-1")", "0 to 86400"},
      {R"("EVENER_STOP_GRACE_SECONDS":"1m")", "0 to 86400"},
      {R"("EVENER_SHUFFLE_HOSTS":"yes")", "the seed"},
      {R"("EVENER_AUXILIARY_GROUPS":"dta_group")", "did you mean 'data_group'?"},
      {R"("EVENER_DATA_GROUPS":"data_grop")", "did you mean 'data_group'?"},
      {R"("EVENER_DATA_TOKEN":"short")", "at least 16 characters"},
      {R"("EVENER_AUXILIARY_GROUPS":"data_group,dnn_group")", "at least one group"},
      {R"("EVENER_AUXILIARY_GROUPS":"data_group,,dnn_group")", "no instance group ''"},
  };
  for (const Case& each : cases) {
    const Result<ParsedRequest> parsed = with_environment(each.map);
    ASSERT_FALSE(parsed) << each.map;
    EXPECT_THAT(parsed.error().message, HasSubstr(each.error));
  }
}

// Whatever a body becomes by random edits, it is taken or refused with a readable message.
TEST(Request, SurvivesSeededMutationsOfAValidBody) {
  std::mt19937 random(20260701);
  const std::string pieces = "{}[]\",:0-9e.tfn\\u \n\xc3\xff";
  for (int round = 0; round < 3'000; ++round) {
    std::string body(kTwoGroups);
    const int edits = 1 + static_cast<int>(random() % 4);
    for (int i = 0; i < edits; ++i) {
      const std::size_t at = random() % body.size();
      const char piece = pieces[random() % pieces.size()];
      switch (random() % 4) {
        case 0: body[at] = piece; break;
        case 1: body.insert(at, 1, piece); break;
        case 2: body.erase(at, 1 + random() % 20); break;
        default: body.insert(at, body.substr(random() % body.size(), random() % 40)); break;
      }
    }
    const Result<ParsedRequest> parsed = parse_create_training_job(body, "/base");
    if (!parsed) {
      EXPECT_FALSE(parsed.error().message.empty());
    } else {
      EXPECT_TRUE(document::read(parsed->spec.request_json));
    }
  }
}

TEST(Request, RefusesAMetricWhosePatternCannotBeUsed) {
  const auto with_regex = [](std::string_view regex) {
    auto request = *document::read(kTwoGroups);
    document::Value metric = document::make_object();
    metric.set("Name", document::make_string("loss"));
    metric.set("Regex", document::make_string(regex));
    request.find("AlgorithmSpecification")->set("MetricDefinitions", document::make_list({metric}));
    return document::write(request);
  };
  EXPECT_THAT(error_of(with_regex("loss=(?!x)(.*?);")),
              testing::AllOf(HasSubstr("'loss=(?!x)(.*?);' of metric 'loss' cannot be used"),
                             HasSubstr("looking ahead")));
  const auto parsed = parse_create_training_job(with_regex("loss=(.*?);"));
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_THAT(parsed->notices, ElementsAre());
  EXPECT_THAT(parsed->spec.metric_definitions,
              ElementsAre(jobs::MetricDefinition{"loss", "loss=(.*?);"}));
}

}  // namespace
}  // namespace evener::api
