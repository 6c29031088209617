#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>

#include "base/byte_size.h"
#include "training/api/api.h"
#include "base/document.h"
#include "training/api/flag_forms.h"
#include "training/api/request_uris.h"

namespace evener::api {

namespace {

constexpr std::string_view kDefaultInstanceType = "ml.m5.xlarge";
constexpr std::string_view kRole = "arn:aws:iam::000000000000:role/local";
constexpr std::size_t kNameLimit = 63;

tl::unexpected<Error> refuse(const std::string& message) {
  return failure(ErrorCode::kInvalidArgument, message);
}

tl::unexpected<Error> given_twice(std::string_view flag, std::string_view name) {
  return refuse(std::string(flag) + ": " + std::string(name) + " is given twice; give it once");
}

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// True where a program that decodes the value as JSON and prints it again gets other text:
// 1.10, 1e-3, true, "x" in quotes. Lists and objects are meant as such.
bool changes_when_decoded(std::string_view value) {
  for (const std::string_view word : {"true", "false", "null", "NaN", "Infinity", "-Infinity"})
    if (value == word) return true;
  if (value.starts_with('"')) return true;
  std::string_view digits = value;
  if (digits.starts_with('-')) digits.remove_prefix(1);
  if (is_digits(digits)) return value == "-0";  // 007 is no JSON and stays
  constexpr std::size_t kExactDigits = 15;  // of a double
  const std::size_t dot = digits.find('.');
  if (dot == std::string_view::npos || !is_digits(digits.substr(0, dot)))
    return !digits.empty() && is_digits(digits.substr(0, 1));
  const std::string_view fraction = digits.substr(dot + 1);
  const bool short_form = is_digits(fraction) && digits.size() <= kExactDigits &&
                          (fraction == "0" || !fraction.ends_with('0'));
  return !short_form || digits.starts_with("0.0000");
}

Result<document::Value> hyperparameters_of(const TrainFlags& flags, std::string_view directory) {
  document::Value map = document::make_object();
  for (const std::string& text : flags.hyperparameters) {
    auto pair = parse_assignment("--hyperparameter", text);
    if (!pair) return tl::unexpected(pair.error());
    if (map.find(pair->first)) return given_twice("--hyperparameter", pair->first);
    const bool quote = changes_when_decoded(pair->second);
    map.set(pair->first, document::make_string(quote ? document::quote(pair->second) : pair->second));
  }
  std::filesystem::path program(flags.entry_point);
  std::string source = flags.source_dir;
  if (source.empty()) {  // the script alone, as the service's own client sends it
    source = flags.entry_point;
    program = program.filename();
  }
  map.set("sagemaker_program", document::make_string(document::quote(program.string())));
  map.set("sagemaker_submit_directory", document::make_string(document::quote(to_uri(source, directory))));
  return map;
}

Result<std::vector<GroupForm>> groups_of(const TrainFlags& flags) {
  std::vector<GroupForm> groups;
  for (const std::string& text : flags.groups) {
    Result<GroupForm> group = parse_group(text);
    if (!group) return tl::unexpected(group.error());
    groups.push_back(std::move(*group));
  }
  if (groups.empty()) groups.push_back({.name = "", .instance_type = std::string(kDefaultInstanceType)});
  const auto unnamed = std::count_if(groups.begin(), groups.end(),
                                     [](const GroupForm& group) { return group.name.empty(); });
  if (unnamed > 0 && groups.size() > 1)
    return refuse("--group: several groups need names, as data_group=" +
                  groups.front().instance_type + ":1");
  return groups;
}

document::Value resources_of(const std::vector<GroupForm>& groups) {
  document::Value resources = document::make_object();
  if (groups.front().name.empty()) {
    resources.set("InstanceType", document::make_string(groups.front().instance_type));
    resources.set("InstanceCount", document::make_integer(groups.front().count));
    return resources;
  }
  document::Value list = document::make_list({});
  for (const GroupForm& group : groups) {
    document::Value item = document::make_object();
    item.set("InstanceGroupName", document::make_string(group.name));
    item.set("InstanceType", document::make_string(group.instance_type));
    item.set("InstanceCount", document::make_integer(group.count));
    list.items.push_back(std::move(item));
  }
  resources.set("InstanceGroups", std::move(list));
  return resources;
}

document::Value channel_of(const ChannelForm& form, std::string_view directory) {
  document::Value source = document::make_object();
  source.set("S3DataType", document::make_string(form.manifest ? "ManifestFile" : "S3Prefix"));
  source.set("S3Uri", document::make_string(to_uri(form.path, directory)));
  source.set("S3DataDistributionType",
             document::make_string(form.sharded ? "ShardedByS3Key" : "FullyReplicated"));
  document::Value names = document::make_list({});
  for (const std::string& group : form.groups) names.items.push_back(document::make_string(group));
  if (!names.items.empty()) source.set("InstanceGroupNames", std::move(names));
  document::Value data = document::make_object();
  data.set("S3DataSource", std::move(source));
  document::Value channel = document::make_object();
  channel.set("ChannelName", document::make_string(form.name));
  channel.set("DataSource", std::move(data));
  if (!form.content_type.empty()) channel.set("ContentType", document::make_string(form.content_type));
  if (form.gzip) channel.set("CompressionType", document::make_string("Gzip"));
  return channel;
}

Result<document::Value> channels_of(const TrainFlags& flags, const std::vector<GroupForm>& groups,
                          std::string_view directory) {
  std::vector<std::string> names;
  for (const GroupForm& group : groups)
    if (!group.name.empty()) names.push_back(group.name);
  std::vector<ChannelForm> forms;
  for (const std::string& text : flags.channels) {
    Result<ChannelForm> form = parse_channel(text, names);
    if (!form) return tl::unexpected(form.error());
    forms.push_back(std::move(*form));
  }
  // All channels or none name groups in a request; a flag without groups means all of them.
  const bool any = std::any_of(forms.begin(), forms.end(),
                               [](const ChannelForm& form) { return !form.groups.empty(); });
  document::Value list = document::make_list({});
  for (ChannelForm& form : forms) {
    if (any && form.groups.empty()) form.groups = names;
    list.items.push_back(channel_of(form, directory));
  }
  return list;
}

Result<document::Value> environment_of(const TrainFlags& flags) {
  document::Value map = document::make_object();
  for (const std::string& text : flags.environment) {
    auto pair = parse_assignment("--env", text);
    if (!pair) return tl::unexpected(pair.error());
    if (map.find(pair->first)) return given_twice("--env", pair->first);
    map.set(pair->first, document::make_string(pair->second));
  }
  std::string auxiliary;
  for (const std::string& group : flags.auxiliary_groups)
    auxiliary += (auxiliary.empty() ? "" : ",") + group;
  if (!auxiliary.empty()) map.set("EVENER_AUXILIARY_GROUPS", document::make_string(auxiliary));
  return map;
}

Status check_entry_point(const TrainFlags& flags) {
  if (flags.entry_point.empty())
    return refuse("--entry-point is missing: the script to run, as --entry-point train.py");
  if (flags.source_dir.empty()) return ok();
  const std::filesystem::path program(flags.entry_point);
  if (program.is_absolute() || *program.lexically_normal().begin() == "..")
    return refuse("--entry-point '" + flags.entry_point +
                  "' must lie inside --source-dir and be given relative to it, as train.py");
  return ok();
}

void set_unless_empty(document::Value& body, std::string_view name, document::Value value) {
  if (!value.members.empty() || !value.items.empty()) body.set(name, std::move(value));
}

}  // namespace

Result<std::string> request_from_flags(const TrainFlags& flags, std::string_view directory) {
  RETURN_IF_ERROR(check_entry_point(flags));
  Result<document::Value> hyperparameters = hyperparameters_of(flags, directory);
  if (!hyperparameters) return tl::unexpected(hyperparameters.error());
  const Result<std::vector<GroupForm>> groups = groups_of(flags);
  if (!groups) return tl::unexpected(groups.error());
  Result<document::Value> channels = channels_of(flags, *groups, directory);
  if (!channels) return tl::unexpected(channels.error());
  Result<document::Value> environment = environment_of(flags);
  if (!environment) return tl::unexpected(environment.error());

  document::Value body = document::make_object();
  body.set("TrainingJobName", document::make_string(flags.name.empty() ? flags.default_name : flags.name));
  body.set("HyperParameters", std::move(*hyperparameters));
  document::Value algorithm = document::make_object();
  algorithm.set("TrainingInputMode", document::make_string("File"));
  body.set("AlgorithmSpecification", std::move(algorithm));
  body.set("RoleArn", document::make_string(kRole));
  set_unless_empty(body, "InputDataConfig", std::move(*channels));
  document::Value output = document::make_object();
  output.set("S3OutputPath",
             document::make_string(to_uri(flags.output.empty() ? "output" : flags.output, directory)));
  body.set("OutputDataConfig", std::move(output));
  body.set("ResourceConfig", resources_of(*groups));
  if (!flags.max_runtime.empty()) {
    const Result<std::chrono::seconds> runtime = parse_duration(flags.max_runtime);
    if (!runtime) return failure_in("--max-runtime", runtime.error());
    document::Value stopping = document::make_object();
    stopping.set("MaxRuntimeInSeconds", document::make_integer(runtime->count()));
    body.set("StoppingCondition", std::move(stopping));
  }
  set_unless_empty(body, "Environment", std::move(*environment));
  if (flags.network_isolation) body.set("EnableNetworkIsolation", document::make_boolean(true));
  return document::write(body);
}

std::string default_job_name(std::string_view entry_point, WallTime now) {
  std::string stem;
  for (const char c : std::filesystem::path(entry_point).stem().string()) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter)
      stem += c;
    else if (!stem.empty() && !stem.ends_with('-'))
      stem += '-';
  }
  const std::int64_t millis = to_millis(now);
  const std::time_t seconds = millis / 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char stamp[32];
  const std::size_t length = std::strftime(stamp, sizeof stamp, "-%Y-%m-%d-%H-%M-%S-", &parts);
  const std::string tail =
      std::string(stamp, length) + std::to_string(1000 + millis % 1000).substr(1);
  stem.resize(std::min(stem.size(), kNameLimit - tail.size()));
  while (stem.ends_with('-')) stem.pop_back();
  return (stem.empty() ? "job" : stem) + tail;
}

}  // namespace evener::api
