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

// What is not there yet: a member that is given at all, or with one word. Below InputDataConfig the
// path goes on inside each channel.
struct Refusal {
  std::string_view path;
  std::string_view word;        // "": the member, if it asks for anything
  std::string_view text;        // follows the member and the word
};
constexpr std::string_view kFileWorks =
    "comes in a later version; File works: all input is there before the program starts, without "
    "copying where the machine allows";
constexpr Refusal kRefusals[] = {
    {"AlgorithmSpecification.TrainingInputMode", "Pipe", kFileWorks},
    {"AlgorithmSpecification.TrainingInputMode", "FastFile", kFileWorks},
    {"AlgorithmSpecification.AlgorithmName", "",
     "is not supported; script mode and ContainerEntrypoint work"},
    {"InputDataConfig.InputMode", "Pipe", kFileWorks},
    {"InputDataConfig.InputMode", "FastFile", kFileWorks},
    {"InputDataConfig.RecordWrapperType", "RecordIO", "comes in a later version; None works"},
    {"InputDataConfig.DataSource.FileSystemDataSource", "",
     "comes in a later version; S3DataSource with S3Uri file:///path works"},
    {"InputDataConfig.DataSource.DatasetSource", "", "is not supported; S3DataSource works"},
    {"InputDataConfig.DataSource.S3DataSource.S3DataType", "AugmentedManifestFile",
     "comes in a later version; S3Prefix and ManifestFile work"},
    {"InputDataConfig.DataSource.S3DataSource.S3DataType", "Converse",
     "comes in a later version; S3Prefix and ManifestFile work"},
    {"EnableManagedSpotTraining", "",
     "comes in a later version; without it the job runs uninterrupted"},
    {"CheckpointConfig", "",
     "comes in a later version; without it /opt/ml/checkpoints is a plain folder of the instance"},
    {"ServerlessJobConfig", "", "is not supported; name instances in ResourceConfig"},
};

void refuse(const document::Value& owner, std::string_view path, const Refusal& refusal,
            const std::string& where, Texts& texts) {
  const std::size_t dot = path.find('.');
  const document::Value* value = owner.find(path.substr(0, dot));
  if (value == nullptr) return;
  if (dot != std::string_view::npos) {
    const std::string_view rest = path.substr(dot + 1);
    if (value->kind != document::Kind::kList) return refuse(*value, rest, refusal, where, texts);
    for (const document::Value& channel : value->items)
      refuse(channel, rest, refusal,
             "channel '" + std::string(channel.text_at("ChannelName")) + "': ", texts);
    return;
  }
  const bool asked = refusal.word.empty() ? value->kind != document::Kind::kBoolean || value->boolean
                                          : value->text == refusal.word;
  if (!asked) return;
  const std::string word = refusal.word.empty() ? "" : " " + std::string(refusal.word);
  texts.push_back(where + std::string(path) + word + " " + std::string(refusal.text));
}

struct Idle {
  std::string_view owner;       // "" for the request itself
  std::string_view member;
  std::string_view effect;
};
constexpr Idle kIdle[] = {
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
  for (const Refusal& refusal : kRefusals) refuse(request, refusal.path, refusal, "", texts);
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
