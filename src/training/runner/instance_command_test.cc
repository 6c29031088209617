#include <gmock/gmock.h>

#include "training/runner/small_job_test.h"

namespace evener::runner {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Key;
using testing::Not;
using testing::Pair;

InstanceCommand command_of(const jobs::TrainingJob& job, const std::string& host = "algo-1") {
  const Result<InstanceCommand> command = instance_command(job, facts_of(host));
  EXPECT_TRUE(command);
  return command ? *command : InstanceCommand{};
}

TEST(InstanceCommand, RunsTheScriptWithSortedArguments) {
  const InstanceCommand command = command_of(small_job());
  EXPECT_THAT(command.argv, ElementsAre("/usr/bin/python3", "train.py", "--epochs", "3", "--lr",
                                        "0.1", "-n", "a b"));
  EXPECT_EQ(command.directory, "/opt/ml/code");
}

TEST(InstanceCommand, CountsCharactersNotBytesInAShortName) {
  jobs::TrainingJob job = small_job();
  job.spec.hyperparameters = {{"sagemaker_program", "train.py"}, {"\xc3\xa9", "1"}, {"ab", "2"}};
  EXPECT_THAT(command_of(job).argv,
              ElementsAre("/usr/bin/python3", "train.py", "--ab", "2", "-\xc3\xa9", "1"));
}

TEST(InstanceCommand, SetsEveryVariableOfTheToolkit) {
  const auto variables = command_of(small_job(), "algo-2").environment;
  const std::map<std::string, std::string> expected = {
      {"SM_HOSTS", R"(["algo-1","algo-2","algo-3"])"},
      {"SM_CURRENT_HOST", "algo-2"},
      {"SM_NETWORK_INTERFACE_NAME", "eth0"},
      {"SM_CURRENT_INSTANCE_TYPE", "ml.c5.xlarge"},
      {"SM_CURRENT_INSTANCE_GROUP", "data_group"},
      {"SM_CURRENT_INSTANCE_GROUP_HOSTS", R"(["algo-1","algo-2"])"},
      {"SM_INSTANCE_GROUPS", R"(["data_group","dnn_group"])"},
      {"SM_INSTANCE_GROUPS_DICT",
       R"({"data_group":{"hosts":["algo-1","algo-2"],"instance_group_name":"data_group",)"
       R"("instance_type":"ml.c5.xlarge"},"dnn_group":{"hosts":["algo-3"],)"
       R"("instance_group_name":"dnn_group","instance_type":"ml.g5.xlarge"}})"},
      {"SM_DISTRIBUTION_INSTANCE_GROUPS", "[]"},
      {"SM_IS_HETERO", "true"},
      {"SM_CHANNELS", R"(["labels","raw"])"},
      {"SM_CHANNEL_RAW", "/opt/ml/input/data/raw"},
      {"SM_HPS", R"({"epochs":3,"lr":0.1,"n":"a b"})"},
      {"SM_HP_EPOCHS", "3"},
      {"SM_HP_N", "a b"},
      {"SM_USER_ARGS", R"(["--epochs","3","--lr","0.1","-n","a b"])"},
      {"SM_MODEL_DIR", "/opt/ml/model"},
      {"SM_OUTPUT_DIR", "/opt/ml/output"},
      {"SM_OUTPUT_DATA_DIR", "/opt/ml/output/data"},
      {"SM_OUTPUT_INTERMEDIATE_DIR", "/opt/ml/output/intermediate"},
      {"SM_INPUT_DIR", "/opt/ml/input"},
      {"SM_INPUT_CONFIG_DIR", "/opt/ml/input/config"},
      {"SM_MODULE_NAME", "train"},
      {"SM_MODULE_DIR", "file:///src"},
      {"SM_USER_ENTRY_POINT", "train.py"},
      {"SM_FRAMEWORK_MODULE", ""},
      {"SM_FRAMEWORK_PARAMS", "{}"},
      {"SM_LOG_LEVEL", "20"},
      {"SM_NUM_CPUS", "4"},
      {"SM_NUM_GPUS", "0"},
      {"SM_NUM_NEURONS", "0"},
      {"PYTHONPATH", "/opt/ml/code"},
      {"CURRENT_HOST", "algo-2"},
      {"TRAINING_JOB_NAME", "het"},
      {"AWS_REGION", "eu-west-1"},
      {"SAGEMAKER_REGION", "eu-west-1"},
      {"SAGEMAKER_JOB_NAME", "het"},
      {"LANG", "C.UTF-8"},
  };
  for (const auto& [name, value] : expected) EXPECT_THAT(variables, Contains(Pair(name, value)));
  EXPECT_THAT(variables.at("SM_RESOURCE_CONFIG"), HasSubstr(R"({"current_group_name":"data_group",)"));
  EXPECT_THAT(variables.at("SM_INPUT_DATA_CONFIG"), HasSubstr(R"("ContentType":"text/csv")"));
  EXPECT_THAT(variables.at("SM_TRAINING_ENV"),
              AllOf(HasSubstr(R"("is_master":false)"), HasSubstr(R"("master_hostname":"algo-1")"),
                    HasSubstr(R"("job_name":"het")")));
}

TEST(InstanceCommand, HidesChannelsOfOtherGroups) {
  const auto variables = command_of(small_job(), "algo-3").environment;
  EXPECT_EQ(variables.at("SM_CHANNELS"), R"(["labels"])");
  EXPECT_THAT(variables, Not(Contains(Key("SM_CHANNEL_RAW"))));
}

TEST(InstanceCommand, PutsTheRequestsEnvironmentBelowTheContract) {
  jobs::TrainingJob job = small_job();
  job.spec.environment = {{"SM_HOSTS", "x"},      {"TRAINING_JOB_NAME", "y"},
                          {"LANG", "de_DE"},      {"PYTHONPATH", "/extra"},
                          {"AWS_REGION", "mars"}, {"PYTHONUNBUFFERED", "0"}};
  const auto variables = command_of(job).environment;
  EXPECT_EQ(variables.at("SM_HOSTS"), R"(["algo-1","algo-2","algo-3"])");
  EXPECT_EQ(variables.at("TRAINING_JOB_NAME"), "het");
  EXPECT_EQ(variables.at("LANG"), "de_DE");
  EXPECT_EQ(variables.at("PYTHONPATH"), "/opt/ml/code:/extra");
  EXPECT_EQ(variables.at("AWS_REGION"), "mars");
  EXPECT_EQ(variables.at("PYTHONUNBUFFERED"), "0");
}

TEST(InstanceCommand, PutsTheLayerOfRequirementsBehindTheCode) {
  InstanceFacts facts = facts_of("algo-1");
  facts.requirements_layer = "/opt/layer";
  const auto variables = instance_command(small_job(), facts)->environment;
  EXPECT_EQ(variables.at("PYTHONPATH"), "/opt/ml/code:/opt/layer");
  EXPECT_EQ(variables.at("PATH"), "/opt/layer/bin:/usr/bin:/bin");
}

TEST(InstanceCommand, RunsShellScriptsAndPackages) {
  jobs::TrainingJob job = small_job();
  job.spec.hyperparameters = {{"sagemaker_program", "run.sh"}, {"x", "$(touch /tmp/no); 'q'"}};
  EXPECT_THAT(command_of(job).argv, ElementsAre("/bin/sh", "-c", "exec \"$0\" \"$@\"", "./run.sh",
                                                "-x", "$(touch /tmp/no); 'q'"));
  job.spec.hyperparameters = {{"sagemaker_program", "\"pkg.py\""}};
  InstanceFacts facts = facts_of("algo-1");
  facts.code_form = CodeForm::kPackage;
  EXPECT_THAT(instance_command(job, facts)->argv, ElementsAre("/usr/bin/python3", "-m", "pkg"));
}

TEST(InstanceCommand, RefusesAnEntryPointOutsideTheCode) {
  for (const char* name : {"../train.py", "/bin/sh", "-c", "a/../../b.py", "", ".", "code/"}) {
    jobs::TrainingJob job = small_job();
    job.spec.hyperparameters["sagemaker_program"] = name;
    const Result<InstanceCommand> command = instance_command(job, facts_of("algo-1"));
    ASSERT_FALSE(command) << name;
    EXPECT_EQ(command.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(InstanceCommand, LetsTheContainersOwnProgramTakeThePlaceOfScriptMode) {
  jobs::TrainingJob job = small_job();
  job.spec.entrypoint = {"/usr/local/bin/train", "--fast"};
  job.spec.arguments = {"a b"};
  EXPECT_FALSE(uses_script_mode(job.spec));
  EXPECT_TRUE(has_source_code(job.spec));
  const InstanceCommand command = command_of(job);
  EXPECT_THAT(command.argv, ElementsAre("/usr/local/bin/train", "--fast", "a b"));
  EXPECT_EQ(command.directory, "/");
  EXPECT_THAT(command.environment, Not(Contains(Key("SM_HOSTS"))));
  EXPECT_THAT(command.environment, Contains(Pair("TRAINING_JOB_NAME", "het")));
}

TEST(InstanceCommand, RunsTrainWhereNothingElseIsNamed) {
  jobs::TrainingJob job = small_job();
  job.spec.hyperparameters.clear();
  EXPECT_THAT(command_of(job).argv, ElementsAre("train"));
  EXPECT_FALSE(has_source_code(job.spec));
  job.spec.arguments = {"/bin/echo", "x"};
  EXPECT_THAT(command_of(job).argv, ElementsAre("/bin/echo", "x"));
}

TEST(InstanceCommand, NamesTheGroupsOfADistribution) {
  jobs::TrainingJob job = small_job();
  job.spec.hyperparameters["sagemaker_distribution_instance_groups"] = R"(["dnn_group"])";
  auto variables = command_of(job, "algo-3").environment;
  EXPECT_EQ(variables.at("SM_DISTRIBUTION_INSTANCE_GROUPS"), R"(["dnn_group"])");
  EXPECT_THAT(variables.at("SM_TRAINING_ENV"), HasSubstr(R"("is_master":true)"));
  job.spec.hyperparameters.erase("sagemaker_distribution_instance_groups");
  job.spec.hyperparameters["sagemaker_torch_distributed_enabled"] = "true";
  variables = command_of(job, "algo-1").environment;
  EXPECT_EQ(variables.at("SM_DISTRIBUTION_INSTANCE_GROUPS"), R"(["data_group"])");
}

TEST(InstanceCommand, SaysWhereTheContractLiesOutsideOfASandbox) {
  InstanceFacts facts = facts_of("algo-1");
  facts.ml_path = "/jobs/het/ml";
  const InstanceCommand command = *instance_command(small_job(), facts);
  EXPECT_EQ(command.directory, "/jobs/het/ml/code");
  EXPECT_EQ(command.environment.at("SAGEMAKER_BASE_DIR"), "/jobs/het/ml");
  EXPECT_EQ(command.environment.at("SM_CHANNEL_RAW"), "/jobs/het/ml/input/data/raw");
}

TEST(RequirementsCommand, InstallsIntoTheLayerAndWritesNowhereElse) {
  jobs::TrainingJob job;
  job.spec.environment = {{"PIP_INDEX_URL", "http://index/simple"}, {"HOME", "/theirs"}};
  InstanceFacts facts = facts_of("algo-1");
  facts.requirements_layer = "/layer";
  const InstanceCommand command = requirements_command(job, facts, "/opt/ml/code");
  EXPECT_EQ(command.environment.at("PIP_INDEX_URL"), "http://index/simple");
  EXPECT_EQ(command.environment.at("HOME"), "/tmp");
  EXPECT_THAT(command.argv, Contains("--target"));
  EXPECT_THAT(command.argv, Contains("/layer"));
  EXPECT_THAT(command.argv, Contains("/opt/ml/code/requirements.txt"));
  EXPECT_EQ(command.environment.at("HOME"), "/tmp");
  EXPECT_EQ(command.directory, "/opt/ml/code");
}

TEST(InstanceCommand, NamesAVariableThatLinuxWouldNotPassOn) {
  jobs::TrainingJob job = small_job();
  for (int i = 0; i < 60; ++i)
    job.spec.hyperparameters["p" + std::to_string(i)] = std::string(2500, 'v');
  const auto command = instance_command(job, facts_of("algo-1"));
  ASSERT_FALSE(command);
  EXPECT_THAT(command.error().message, HasSubstr("environment variable SM_"));
  EXPECT_THAT(command.error().message, HasSubstr("file in a channel"));
}

}  // namespace
}  // namespace evener::runner
