#include "training/api/support.h"

#include <string_view>

namespace evener::api {

namespace {

using Texts = std::vector<std::string>;

const document::Value* at(const document::Value& request, std::string_view owner, std::string_view member) {
  const document::Value* found = request.find(owner);
  return found != nullptr && found->kind == document::Kind::kObject ? found->find(member) : nullptr;
}

bool is_idle(const document::Value& value) {
  switch (value.kind) {
    case document::Kind::kNull: return true;
    case document::Kind::kBoolean: return !value.boolean;
    case document::Kind::kInteger: return value.integer == 0;
    case document::Kind::kNumber: return false;
    case document::Kind::kString: return value.text.empty();
    case document::Kind::kList: return value.items.empty();
    case document::Kind::kObject: return value.members.empty();
  }
  return true;
}

void refuse_mode(std::string_view where, std::string_view mode, Texts& texts) {
  if (mode == "Pipe" || mode == "FastFile")
    texts.push_back(std::string(where) + " " + std::string(mode) +
                    " comes in a later version; File works: all input is there before the program "
                    "starts, without copying where the machine allows");
}

void refuse_channel(const document::Value& channel, Texts& texts) {
  const std::string name = "channel '" + std::string(channel.text_at("ChannelName")) + "': ";
  refuse_mode(name + "InputMode", channel.text_at("InputMode"), texts);
  if (channel.text_at("RecordWrapperType") == "RecordIO")
    texts.push_back(name + "RecordWrapperType RecordIO comes in a later version; None works");
  const document::Value& source = *channel.find("DataSource");
  if (source.find("FileSystemDataSource"))
    texts.push_back(name + "FileSystemDataSource comes in a later version; S3DataSource with "
                           "S3Uri file:///path works");
  if (source.find("DatasetSource"))
    texts.push_back(name + "DatasetSource is not supported; S3DataSource works");
  const document::Value* s3 = source.find("S3DataSource");
  if (s3 == nullptr) return;
  const std::string_view type = s3->text_at("S3DataType");
  if (type == "AugmentedManifestFile" || type == "Converse")
    texts.push_back(name + "S3DataType " + std::string(type) +
                    " comes in a later version; S3Prefix and ManifestFile work");
}

struct Idle {
  std::string_view owner;       // "" for the request itself
  std::string_view member;
  std::string_view effect;
};
constexpr Idle kIdle[] = {
    {"AlgorithmSpecification", "MetricDefinitions",
     "the job sees them; values are not collected from its log yet"},
    {"AlgorithmSpecification", "EnableSageMakerMetricsTimeSeries", "no effect here"},
    {"AlgorithmSpecification", "TrainingImageConfig", "no effect: no image is fetched"},
    {"OutputDataConfig", "KmsKeyId", "no effect: results are stored without encryption"},
    {"ResourceConfig", "VolumeKmsKeyId", "no effect: the instances' disk is this machine's own"},
    {"ResourceConfig", "KeepAlivePeriodInSeconds", "no effect: instances start in milliseconds"},
    {"ResourceConfig", "TrainingPlanArn", "no effect here"},
    {"ResourceConfig", "InstancePlacementConfig", "no effect here"},
    {"ResourceConfig", "InstancePreferences", "no effect: InstanceType counts"},
    {"StoppingCondition", "MaxPendingTimeInSeconds", "no effect: a job waits without limit"},
    {"", "VpcConfig", "no effect: every job has a private network of its own"},
    {"", "EnableInterContainerTrafficEncryption",
     "no effect: the job's network does not leave this machine"},
    {"", "DebugHookConfig", "no effect beyond debughookconfig.json inside the instances"},
    {"", "DebugRuleConfigurations", "no effect here"},
    {"", "TensorBoardOutputConfig",
     "no effect beyond tensorboardoutputconfig.json inside the instances"},
    {"", "ExperimentConfig", "no effect here"},
    {"", "ProfilerConfig", "no effect; CPU and memory are always measured"},
    {"", "ProfilerRuleConfigurations", "no effect here"},
    {"", "RetryStrategy", "no effect yet: a failed job is not tried again"},
    {"", "RemoteDebugConfig", "no effect here"},
    {"", "InfraCheckConfig", "no effect here"},
    {"", "SessionChainingConfig", "no effect here"},
    {"", "MlflowConfig", "no effect here"},
    {"", "ModelPackageConfig", "no effect here"},
};

// Names that the instance sets itself, whatever the request says.
void note_environment(const document::Value& request, Texts& texts) {
  const document::Value* environment = request.find("Environment");
  if (environment == nullptr) return;
  for (const document::Member& variable : environment->members) {
    const std::string_view name = variable.name;
    if (name.starts_with("SM_") || name == "TRAINING_JOB_NAME" || name == "TRAINING_JOB_ARN" ||
        name == "CURRENT_HOST")
      texts.push_back("Environment." + variable.name +
                      ": SageMaker's own variable of this name wins where there is one");
  }
}

void note_channel(const document::Value& channel, Texts& texts) {
  const std::string name = "channel '" + std::string(channel.text_at("ChannelName")) + "': ";
  if (channel.text_at("CompressionType") == "Gzip")
    texts.push_back(name + "CompressionType Gzip: objects are decompressed while they are staged "
                           "(SageMaker does so in Pipe mode only)");
  if (channel.find("ShuffleConfig"))
    texts.push_back(name + "ShuffleConfig is stored and has no effect in File mode");
  const document::Value* s3 = channel.find("DataSource")->find("S3DataSource");
  if (s3 == nullptr) return;
  for (const std::string_view member : {"AttributeNames", "ModelAccessConfig", "HubAccessConfig"}) {
    const document::Value* value = s3->find(member);
    if (value != nullptr && !is_idle(*value))
      texts.push_back(name + std::string(member) + " is stored and has no effect here");
  }
}

}  // namespace

std::vector<std::string> unsupported_members(const document::Value& request) {
  Texts texts;
  if (const document::Value* algorithm = request.find("AlgorithmSpecification")) {
    refuse_mode("TrainingInputMode", algorithm->text_at("TrainingInputMode"), texts);
    if (algorithm->find("AlgorithmName"))
      texts.emplace_back("AlgorithmName is not supported; script mode and ContainerEntrypoint work");
  }
  for (const document::Value& channel : request.items_at("InputDataConfig")) refuse_channel(channel, texts);
  if (request.true_at("EnableManagedSpotTraining"))
    texts.emplace_back("EnableManagedSpotTraining comes in a later version; without it the job "
                       "runs uninterrupted");
  if (request.find("CheckpointConfig"))
    texts.emplace_back("CheckpointConfig comes in a later version; without it /opt/ml/checkpoints "
                       "is a plain folder of the instance");
  if (request.find("ServerlessJobConfig"))
    texts.emplace_back("ServerlessJobConfig is not supported; name instances in ResourceConfig");
  return texts;
}

std::vector<std::string> members_without_effect(const document::Value& request) {
  Texts texts;
  const document::Value* image = at(request, "AlgorithmSpecification", "TrainingImage");
  if (image != nullptr && !image->text.empty())
    texts.push_back("TrainingImage '" + image->text +
                    "' is not used: the job runs on this machine's own programs and Python");
  for (const Idle& idle : kIdle) {
    const document::Value* value =
        idle.owner.empty() ? request.find(idle.member) : at(request, idle.owner, idle.member);
    if (value == nullptr || is_idle(*value)) continue;
    const std::string path =
        (idle.owner.empty() ? "" : std::string(idle.owner) + ".") + std::string(idle.member);
    texts.push_back(path + ": " + std::string(idle.effect));
  }
  for (const document::Value& channel : request.items_at("InputDataConfig")) note_channel(channel, texts);
  note_environment(request, texts);
  return texts;
}

}  // namespace evener::api
