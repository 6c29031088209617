#include <nlohmann/json.hpp>

#include "training/runner/hosts.h"
#include "training/runner/runner.h"

namespace evener::runner {

namespace {

using Json = nlohmann::ordered_json;

std::string dump(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// With a blank after each comma and colon, as the service writes resourceconfig.json alone.
std::string dump_spaced(const Json& value) {
  std::string text;
  if (value.is_array()) {
    for (const Json& item : value) text += (text.empty() ? "" : ", ") + dump_spaced(item);
    return "[" + text + "]";
  }
  if (value.is_object()) {
    for (const auto& [name, member] : value.items())
      text += (text.empty() ? "" : ", ") + dump(name) + ": " + dump_spaced(member);
    return "{" + text + "}";
  }
  return dump(value);
}

std::string_view distribution_word(jobs::Distribution distribution) {
  return distribution == jobs::Distribution::kShardedByS3Key ? "ShardedByS3Key" : "FullyReplicated";
}

std::string_view mode_word(jobs::InputMode mode) {
  switch (mode) {
    case jobs::InputMode::kFile: return "File";
    case jobs::InputMode::kFastFile: return "FastFile";
    case jobs::InputMode::kPipe: return "Pipe";
  }
  return "";
}

// The platform's own spelling: ShardedByS3Key is SHARDED_BY_S3_KEY.
std::string internal_word(std::string_view word) {
  if (word == "S3Prefix") return "S3_PREFIX";
  if (word == "ManifestFile") return "MANIFEST_FILE";
  if (word == "AugmentedManifestFile") return "AUGMENTED_MANIFEST_FILE";
  if (word == "FullyReplicated") return "FULLY_REPLICATED";
  if (word == "ShardedByS3Key") return "SHARDED_BY_S3_KEY";
  std::string upper(word);
  for (char& c : upper)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return upper;
}

std::string_view data_type_word(jobs::DataType type) {
  switch (type) {
    case jobs::DataType::kS3Prefix: return "S3Prefix";
    case jobs::DataType::kManifestFile: return "ManifestFile";
    case jobs::DataType::kAugmentedManifestFile: return "AugmentedManifestFile";
  }
  return "";
}

Json resource_config(const JobHosts& hosts, const InstanceFacts& facts) {
  Json groups = Json::array();
  for (const GroupHosts& group : hosts.groups)
    groups.push_back({{"instance_group_name", group.name},
                      {"instance_type", group.instance_type},
                      {"hosts", group.hosts}});
  const GroupHosts& own = hosts.groups[hosts.current_group];
  return {{"current_host", hosts.current},  {"current_instance_type", own.instance_type},
          {"current_group_name", own.name}, {"hosts", hosts.all},
          {"instance_groups", groups},      {"network_interface_name", facts.interface_name}};
}

Json input_data_config(const std::vector<const jobs::Channel*>& channels) {
  Json config = Json::object();
  for (const jobs::Channel* channel : channels) {
    Json entry = Json::object();
    if (!channel->content_type.empty()) entry["ContentType"] = channel->content_type;
    entry["TrainingInputMode"] = mode_word(channel->input_mode);
    entry["S3DistributionType"] = distribution_word(channel->distribution);
    entry["RecordWrapperType"] = channel->record_io ? "RecordIO" : "None";
    config[channel->name] = std::move(entry);
  }
  return config;
}

Json init_channel(const jobs::Channel& channel) {
  Json attributes = nullptr;
  if (!channel.attribute_names.empty()) attributes = channel.attribute_names;
  Json shuffle = nullptr;
  if (channel.shuffle_seed) shuffle = {{"seed", *channel.shuffle_seed}};
  return {{"s3DataSource",
           {{"s3DataType", internal_word(data_type_word(channel.data_type))},
            {"s3Uri", channel.uri},
            {"s3DataDistributionType", internal_word(distribution_word(channel.distribution))},
            {"attributeNames", attributes}}},
          {"fileSystemDataSource", nullptr},
          {"compressionType", channel.compression == jobs::Compression::kGzip ? "GZIP" : "NONE"},
          {"recordWrapper", channel.record_io ? "RECORDIO" : "NONE"},
          {"shuffleConfig", shuffle},
          {"inputMode", internal_word(mode_word(channel.input_mode))},
          {"sharded", channel.distribution == jobs::Distribution::kShardedByS3Key}};
}

Json init_config(const jobs::JobSpec& spec, const std::vector<const jobs::Channel*>& channels,
                 const JobHosts& hosts) {
  Json config = {{"inputMode", "FILE"}, {"channels", Json::object()}};
  for (const jobs::Channel* channel : channels)
    config["channels"][channel->name] = init_channel(*channel);
  if (!spec.checkpoint_uri.empty()) {
    jobs::Channel state;
    state.uri = spec.checkpoint_uri;
    Json channel = init_channel(state);
    channel["s3DataSource"]["s3DataDistributionType"] = nullptr;
    channel["compressionType"] = nullptr;
    channel["recordWrapper"] = nullptr;
    config["checkpointChannel"] = {{"name", "checkpoints"},
                                   {"channel", channel},
                                   {"outputPath", "/opt/ml/checkpoints"},
                                   {"allowEmpty", true}};
  }
  config["hostConfig"] = {{"clusterSize", hosts.all.size()}, {"hostNumber", hosts.current_number}};
  config["enableAdditionalPlatformLoggingForCustomer"] = false;
  config["jobRunInfo"] = {{"jobRunNumber", 1}};
  return config;
}

Json metric_definitions(const jobs::JobSpec& spec) {
  Json list = Json::array();
  for (const jobs::MetricDefinition& metric : spec.metric_definitions)
    list.push_back({{"Name", metric.name}, {"Regex", metric.regex}});
  return list;
}

Json request_of(const jobs::JobSpec& spec) {
  Json request = Json::parse(spec.request_json, nullptr, false);
  return request.is_object() ? request : Json::object();
}

void spell_internally(Json& owner, const char* member, const char* otherwise) {
  owner[member] = internal_word(owner.contains(member) && owner[member].is_string()
                                    ? owner[member].get<std::string>()
                                    : otherwise);
}

// The request with what the service adds to it, in its own spelling.
Json training_job_config(const jobs::TrainingJob& job, Json request) {
  const jobs::JobSpec& spec = job.spec;
  Json config = {{"TrainingJobName", spec.name}, {"TrainingJobArn", job.arn}};
  for (const auto& [name, value] : request.items())
    if (!config.contains(name)) config[name] = value;
  config["HyperParameters"] = Json::object();
  for (const auto& [name, value] : spec.hyperparameters) config["HyperParameters"][name] = value;
  if (!config.contains("InputDataConfig")) config["InputDataConfig"] = Json::array();
  for (Json& channel : config["InputDataConfig"]) {
    spell_internally(channel, "CompressionType", "NONE");
    spell_internally(channel, "RecordWrapperType", "NONE");
    if (!channel.contains("DataSource") || !channel["DataSource"].contains("S3DataSource")) continue;
    Json& source = channel["DataSource"]["S3DataSource"];
    spell_internally(source, "S3DataType", "S3Prefix");
    spell_internally(source, "S3DataDistributionType", "FullyReplicated");
  }
  if (!config.contains("OutputDataConfig"))
    config["OutputDataConfig"] = {{"S3OutputPath", spec.output_uri}};
  if (!config["OutputDataConfig"].contains("KmsKeyId")) config["OutputDataConfig"]["KmsKeyId"] = "";
  if (!config.contains("StoppingCondition")) config["StoppingCondition"] = Json::object();
  config["StoppingCondition"]["MaxRuntimeInSeconds"] = spec.max_runtime.count();
  config["AlgorithmSpecification"]["MetricDefinitions"] = metric_definitions(spec);
  config["AlgorithmSpecification"]["TrainingImage"] = spec.training_image;
  for (const char* name : {"Tags", "BaseTags"})
    if (!config.contains(name)) config[name] = Json::array();
  for (const char* name : {"EnableNetworkIsolation", "EnableInterContainerTrafficEncryption",
                           "EnableManagedSpotTraining"})
    if (!config.contains(name)) config[name] = false;
  return config;
}

// Members that images read from files of their own, where the request has them.
void add_configured(const Json& request, const jobs::JobSpec& spec,
                    std::map<std::string, std::string>& files) {
  if (request.contains("DebugHookConfig")) {
    Json config = {{"S3OutputPath", jobs::result_uri(spec, "debug-output")},
                   {"LocalPath", "/opt/ml/output/tensors"},
                   {"HookParameters", nullptr},
                   {"CollectionConfigurations", nullptr}};
    for (const auto& [name, value] : request["DebugHookConfig"].items())
      if (name != "S3OutputPath") config[name] = value;
    files["input/config/debughookconfig.json"] = dump(config);
  }
  if (request.contains("TensorBoardOutputConfig")) {
    Json config = {{"S3OutputPath", jobs::result_uri(spec, "tensorboard-output")},
                   {"LocalPath", "/opt/ml/output/tensorboard/"}};
    const Json& asked = request["TensorBoardOutputConfig"];
    if (asked.contains("LocalPath")) config["LocalPath"] = asked["LocalPath"];
    files["input/config/tensorboardoutputconfig.json"] = dump(config);
  }
  if (request.contains("ProfilerConfig"))
    files["input/config/profilerconfig.json"] = dump(request["ProfilerConfig"]);
  if (!spec.checkpoint_uri.empty())
    files["input/config/checkpointconfig.json"] = dump({{"LocalPath", spec.checkpoint_path}});
}

}  // namespace

std::map<std::string, std::string> contract_files(const jobs::TrainingJob& job,
                                                  const InstanceFacts& facts) {
  const jobs::JobSpec& spec = job.spec;
  const JobHosts hosts = hosts_of(job, facts);
  const std::vector<const jobs::Channel*> channels = channels_of_host(job, facts.host);
  const Json request = request_of(spec);
  Json hyperparameters = Json::object();
  for (const auto& [name, value] : spec.hyperparameters) hyperparameters[name] = value;

  std::map<std::string, std::string> files;
  files["input/config/hyperparameters.json"] = dump(hyperparameters);
  files["input/config/resourceconfig.json"] = dump_spaced(resource_config(hosts, facts));
  files["input/config/inputdataconfig.json"] = dump(input_data_config(channels));
  files["input/config/init-config.json"] = dump(init_config(spec, channels, hosts));
  files["input/config/trainingjobconfig.json"] = dump(training_job_config(job, request));
  files["input/config/metric-definition-regex.json"] = dump(metric_definitions(spec));
  files["input/config/upstreamoutputdataconfig.json"] = "[]";
  add_configured(request, spec, files);
  return files;
}

std::vector<std::string> contract_folders(const jobs::TrainingJob& job) {
  std::vector<std::string> folders = {"input/config", "input/data",  "model",
                                      "code",         "checkpoints", "output/data",
                                      "output/metrics/sagemaker"};
  const Json request = request_of(job.spec);
  if (request.contains("DebugHookConfig")) folders.emplace_back("output/tensors");
  if (request.contains("TensorBoardOutputConfig")) folders.emplace_back("output/tensorboard");
  if (request.contains("ProfilerConfig")) folders.emplace_back("output/profiler");
  return folders;
}

}  // namespace evener::runner
