#include "training/api/request.h"

#include <string_view>

#include "service_model/service_model.h"
#include "training/api/api.h"
#include "training/api/request_uris.h"
#include "training/api/rules.h"
#include "training/api/support.h"
#include "training/api/switches.h"
#include "training/metrics/scanner/scanner.h"

namespace evener::api {

namespace {

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : "; ") + text;
  return all;
}

std::vector<std::string> texts_at(const document::Value& owner, std::string_view name) {
  std::vector<std::string> texts;
  for (const document::Value& item : owner.items_at(name)) texts.push_back(item.text);
  return texts;
}

std::map<std::string, std::string> map_at(const document::Value& owner, std::string_view name) {
  std::map<std::string, std::string> map;
  if (const document::Value* found = owner.find(name))
    for (const document::Member& member : found->members) map[member.name] = member.value.text;
  return map;
}

std::int64_t integer_at(const document::Value& owner, std::string_view name, std::int64_t otherwise) {
  const document::Value* found = owner.find(name);
  return found != nullptr ? found->integer : otherwise;
}

void read_algorithm(const document::Value& algorithm, jobs::JobSpec& spec) {
  spec.training_image = algorithm.text_at("TrainingImage");
  spec.entrypoint = texts_at(algorithm, "ContainerEntrypoint");
  spec.arguments = texts_at(algorithm, "ContainerArguments");
  for (const document::Value& metric : algorithm.items_at("MetricDefinitions"))
    spec.metric_definitions.push_back(
        {std::string(metric.text_at("Name")), std::string(metric.text_at("Regex"))});
}

jobs::Channel channel_of(const document::Value& request) {
  jobs::Channel channel;
  channel.name = request.text_at("ChannelName");
  const document::Value& source = *request.find("DataSource")->find("S3DataSource");
  channel.uri = source.text_at("S3Uri");
  if (source.text_at("S3DataType") == "ManifestFile")
    channel.data_type = jobs::DataType::kManifestFile;
  if (source.text_at("S3DataDistributionType") == "ShardedByS3Key")
    channel.distribution = jobs::Distribution::kShardedByS3Key;
  channel.groups = texts_at(source, "InstanceGroupNames");
  channel.attribute_names = texts_at(source, "AttributeNames");
  channel.content_type = request.text_at("ContentType");
  if (request.text_at("CompressionType") == "Gzip") channel.compression = jobs::Compression::kGzip;
  if (const document::Value* shuffle = request.find("ShuffleConfig"))
    channel.shuffle_seed = integer_at(*shuffle, "Seed", 0);
  return channel;
}

jobs::InstanceGroup group_of(const document::Value& request, std::string_view name) {
  jobs::InstanceGroup group;
  group.name = name;
  group.instance_type = request.text_at("InstanceType");
  group.count = static_cast<int>(integer_at(request, "InstanceCount", 1));
  return group;
}

void read_resources(const document::Value& resources, jobs::JobSpec& spec) {
  for (const document::Value& group : resources.items_at("InstanceGroups"))
    spec.groups.push_back(group_of(group, group.text_at("InstanceGroupName")));
  spec.heterogeneous = !spec.groups.empty();
  if (!spec.heterogeneous) spec.groups.push_back(group_of(resources, "homogeneousCluster"));
}

}  // namespace

jobs::JobSpec spec_of(const document::Value& request) {
  jobs::JobSpec spec;
  spec.name = request.text_at("TrainingJobName");
  spec.hyperparameters = map_at(request, "HyperParameters");
  read_algorithm(*request.find("AlgorithmSpecification"), spec);
  spec.role_arn = request.text_at("RoleArn");
  for (const document::Value& channel : request.items_at("InputDataConfig"))
    spec.channels.push_back(channel_of(channel));
  const document::Value& output = *request.find("OutputDataConfig");
  spec.output_uri = output.text_at("S3OutputPath");
  spec.compress_output = output.text_at("CompressionType") != "NONE";
  read_resources(*request.find("ResourceConfig"), spec);
  if (const document::Value* stopping = request.find("StoppingCondition"))
    spec.max_runtime = std::chrono::seconds(
        integer_at(*stopping, "MaxRuntimeInSeconds", spec.max_runtime.count()));
  spec.environment = map_at(request, "Environment");
  for (const document::Value& tag : request.items_at("Tags"))
    spec.tags[std::string(tag.text_at("Key"))] = tag.text_at("Value");
  spec.network_isolation = request.true_at("EnableNetworkIsolation");
  spec.request_json = document::write(request);
  return spec;
}

Result<ParsedRequest> parse_create_training_job(std::string_view json, std::string_view directory) {
  Result<document::Value> request = document::read(json);
  if (!request) return tl::unexpected(request.error());
  make_uris_absolute(*request, directory);
  return check_create_training_job(std::move(*request), Places::kThisMachine);
}

Result<ParsedRequest> check_create_training_job(document::Value request, Places places) {
  if (places == Places::kThisMachine) make_uris_absolute(request, {});
  auto findings = service_model::check(service_model::Service::kSageMaker, "CreateTrainingJob",
                                       request, places);
  if (!findings.wrong_types.empty())
    return failure(ErrorCode::kInvalidArgument, joined(findings.wrong_types));
  if (!findings.violations.empty())
    return failure(ErrorCode::kInvalidArgument,
                   service_model::validation_message(findings.violations));
  if (const auto broken = broken_member_rules(request); !broken.empty())
    return failure(ErrorCode::kInvalidArgument, joined(broken));
  if (const auto unsupported = unsupported_members(request); !unsupported.empty())
    return failure(ErrorCode::kUnsupported, joined(unsupported));

  ParsedRequest parsed;
  parsed.spec = spec_of(request);
  RETURN_IF_ERROR(apply_switches(parsed.spec));
  if (const auto scanner = metrics::MetricScanner::make(parsed.spec.metric_definitions); !scanner)
    return tl::unexpected<Error>(scanner.error());
  parsed.notices = std::move(findings.unknown_members);
  const std::vector<std::string> idle = members_without_effect(request);
  parsed.notices.insert(parsed.notices.end(), idle.begin(), idle.end());
  return parsed;
}

}  // namespace evener::api
