#include "training/runner/script_mode.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "base/utf8.h"
#include "training/runner/hosts.h"
#include "training/runner/json_text.h"

namespace evener::runner {

namespace {

constexpr std::string_view kOwnPrefix = "sagemaker_";
// Not given to the script, and no parameters of a framework either.
constexpr std::array<std::string_view, 9> kOwn = {
    "sagemaker_program",
    "sagemaker_submit_directory",
    "sagemaker_enable_cloudwatch_metrics",
    "sagemaker_region",
    "sagemaker_container_log_level",
    "sagemaker_job_name",
    "default_user_module_name",
    "_tuning_objective_metric",
    "sagemaker_s3_output",
};
constexpr std::array<std::string_view, 7> kDistributions = {
    "sagemaker_mpi_enabled",
    "sagemaker_parameter_server_enabled",
    "sagemaker_distributed_dataparallel_enabled",
    "sagemaker_pytorch_ddp_enabled",
    "sagemaker_pytorch_xla_multi_worker_enabled",
    "sagemaker_multi_worker_mirrored_strategy_enabled",
    "sagemaker_torch_distributed_enabled",
};
constexpr std::string_view kInformation = "20";  // Python's logging.INFO

bool is_own(std::string_view name) {
  return std::find(kOwn.begin(), kOwn.end(), name) != kOwn.end();
}

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}

using Texts = std::map<std::string, std::string>;

Texts user_hyperparameters(const jobs::JobSpec& spec) {
  Texts user;
  for (const auto& [name, value] : spec.hyperparameters)
    if (!name.starts_with(kOwnPrefix) && !is_own(name)) user[name] = value;
  return user;
}

Texts framework_parameters(const jobs::JobSpec& spec) {
  Texts parameters;
  for (const auto& [name, value] : spec.hyperparameters)
    if (name.starts_with(kOwnPrefix) && !is_own(name)) parameters[name] = value;
  return parameters;
}

std::string values_json(const Texts& hyperparameters) {
  Texts values;
  for (const auto& [name, value] : hyperparameters) values[name] = value_json(value);
  return json_object(values);
}

std::vector<std::string> distribution_groups(const jobs::JobSpec& spec, const JobHosts& hosts) {
  const auto given = spec.hyperparameters.find("sagemaker_distribution_instance_groups");
  if (given != spec.hyperparameters.end()) return string_items(given->second);
  for (const std::string_view name : kDistributions) {
    const auto enabled = spec.hyperparameters.find(std::string(name));
    if (enabled != spec.hyperparameters.end() && is_truthy(enabled->second))
      return {hosts.groups[hosts.current_group].name};
  }
  return {};
}

// Variables without their SM_, as JSON: the toolkit's view of the environment, from which
// SM_TRAINING_ENV is made too.
struct View {
  JobHosts hosts;
  Texts json;                               // property -> JSON
  Texts channels;                           // name -> folder
  Texts user;                               // hyperparameters
};

std::string groups_json(const JobHosts& hosts) {
  Texts groups;
  for (const GroupHosts& group : hosts.groups)
    groups[group.name] = json_object({{"hosts", json_strings(group.hosts)},
                                      {"instance_group_name", json_string(group.name)},
                                      {"instance_type", json_string(group.instance_type)}});
  return json_object(groups);
}

void add_hosts(const jobs::JobSpec& spec, View& view) {
  const JobHosts& hosts = view.hosts;
  const GroupHosts& own = hosts.groups[hosts.current_group];
  std::vector<std::string> names;
  for (const GroupHosts& group : hosts.groups) names.push_back(group.name);
  view.json["hosts"] = json_strings(hosts.all);
  view.json["current_host"] = json_string(hosts.current);
  view.json["current_instance_type"] = json_string(own.instance_type);
  view.json["current_instance_group"] = json_string(own.name);
  view.json["current_instance_group_hosts"] = json_strings(own.hosts);
  view.json["instance_groups"] = json_strings(names);
  view.json["instance_groups_dict"] = groups_json(hosts);
  view.json["distribution_instance_groups"] = json_strings(distribution_groups(spec, hosts));
  view.json["is_hetero"] = hosts.groups.size() > 1 ? "true" : "false";
}

void add_folders(const InstanceFacts& facts, View& view) {
  const std::string& ml = facts.ml_path;
  view.json["input_dir"] = json_string(ml + "/input");
  view.json["input_config_dir"] = json_string(ml + "/input/config");
  view.json["model_dir"] = json_string(ml + "/model");
  view.json["output_dir"] = json_string(ml + "/output");
  view.json["output_data_dir"] = json_string(ml + "/output/data");
  view.json["output_intermediate_dir"] = json_string(ml + "/output/intermediate");
}

void add_program(const jobs::JobSpec& spec, const InstanceFacts& facts, View& view) {
  const std::string program = decoded_hyperparameter(spec, kProgram);
  const std::string source = decoded_hyperparameter(spec, kSubmitDirectory);
  const auto level = spec.hyperparameters.find("sagemaker_container_log_level");
  view.json["user_entry_point"] = json_string(program);
  view.json["module_name"] = json_string(
      program.ends_with(".py") ? program.substr(0, program.size() - 3) : program);
  view.json["module_dir"] = json_string(source.empty() ? facts.ml_path + "/code" : source);
  view.json["framework_module"] = "null";
  view.json["log_level"] = level != spec.hyperparameters.end() ? value_json(level->second)
                                                               : std::string(kInformation);
}

View view_of(const jobs::TrainingJob& job, const InstanceFacts& facts) {
  View view{.hosts = hosts_of(job, facts), .json = {}, .channels = {}, .user = {}};
  const Texts files = contract_files(job, facts);
  view.user = user_hyperparameters(job.spec);
  for (const jobs::Channel* channel : channels_of_host(job, facts.host))
    view.channels[channel->name] = facts.ml_path + "/input/data/" + channel->name;
  add_hosts(job.spec, view);
  add_folders(facts, view);
  add_program(job.spec, facts, view);
  view.json["network_interface_name"] = json_string(facts.interface_name);
  view.json["num_cpus"] = std::to_string(facts.visible_cpus);
  view.json["num_gpus"] = std::to_string(facts.accelerators);
  view.json["num_neurons"] = "0";
  view.json["resource_config"] = sorted_json(files.at("input/config/resourceconfig.json"));
  view.json["input_data_config"] = sorted_json(files.at("input/config/inputdataconfig.json"));
  return view;
}

std::string training_environment(const jobs::TrainingJob& job, const View& view) {
  Texts properties = view.json;
  Texts channels;
  for (const auto& [name, folder] : view.channels) channels[name] = json_string(folder);
  const std::vector<std::string> groups = distribution_groups(job.spec, view.hosts);
  std::vector<std::string> members;
  for (const GroupHosts& group : view.hosts.groups)
    if (std::find(groups.begin(), groups.end(), group.name) != groups.end())
      members.insert(members.end(), group.hosts.begin(), group.hosts.end());
  const std::string master = members.empty() ? view.hosts.all.front() : members.front();
  properties["additional_framework_parameters"] = values_json(framework_parameters(job.spec));
  properties["channel_input_dirs"] = json_object(channels);
  properties["distribution_hosts"] = json_strings(members);
  properties["hyperparameters"] = values_json(view.user);
  properties["is_master"] = master == view.hosts.current ? "true" : "false";
  properties["job_name"] = json_string(job.spec.name);
  properties["master_hostname"] = json_string(master);
  properties["topology"] = "[]";
  return json_object(properties);
}

}  // namespace

std::string decoded_hyperparameter(const jobs::JobSpec& spec, const std::string& name) {
  const auto found = spec.hyperparameters.find(name);
  return found == spec.hyperparameters.end() ? "" : variable_text(found->second);
}

Result<std::string> entry_point_of(const jobs::JobSpec& spec) {
  const std::string name = decoded_hyperparameter(spec, kProgram);
  const std::filesystem::path path = std::filesystem::path(name).lexically_normal();
  const bool inside = !path.empty() && path.is_relative() && *path.begin() != ".." && path != "." &&
                      !name.starts_with('-') && name.find('\n') == std::string::npos &&
                      !name.ends_with('/');
  if (inside) return path.string();
  return failure(ErrorCode::kInvalidArgument,
                 "the entry point '" + name +
                     "' (sagemaker_program) must be a file inside the source folder, named relative "
                     "to it, as train.py");
}

EntryKind entry_kind(const std::string& entry_point, CodeForm form) {
  if (entry_point.ends_with(".sh")) return EntryKind::kCommand;
  if (form == CodeForm::kPackage) return EntryKind::kPackage;
  return entry_point.ends_with(".py") ? EntryKind::kScript : EntryKind::kCommand;
}

std::vector<std::string> script_arguments(const jobs::JobSpec& spec) {
  std::vector<std::string> arguments;
  for (const auto& [name, value] : user_hyperparameters(spec)) {
    arguments.push_back(name.empty() ? "" : (count_characters(name) == 1 ? "-" : "--") + name);
    arguments.push_back(argument_text(value));
  }
  return arguments;
}

std::map<std::string, std::string> script_variables(const jobs::TrainingJob& job,
                                                    const InstanceFacts& facts) {
  const View view = view_of(job, facts);
  Texts variables;
  for (const auto& [name, json] : view.json) variables["SM_" + upper(name)] = variable_text(json);
  std::vector<std::string> channels;
  for (const auto& [name, folder] : view.channels) {
    channels.push_back(name);
    variables["SM_CHANNEL_" + upper(name)] = folder;
  }
  for (const auto& [name, value] : view.user)
    if (name.find('=') == std::string::npos) variables["SM_HP_" + upper(name)] = variable_text(value);
  variables["SM_CHANNELS"] = json_strings(channels);
  variables["SM_HPS"] = values_json(view.user);
  variables["SM_USER_ARGS"] = json_strings(script_arguments(job.spec));
  variables["SM_FRAMEWORK_PARAMS"] = values_json(framework_parameters(job.spec));
  variables["SM_TRAINING_ENV"] = training_environment(job, view);
  variables["CURRENT_HOST"] = view.hosts.current;
  const std::string name = decoded_hyperparameter(job.spec, "sagemaker_job_name");
  variables["SAGEMAKER_JOB_NAME"] = name.empty() ? job.spec.name : name;
  const std::string region = decoded_hyperparameter(job.spec, "sagemaker_region");
  variables["SAGEMAKER_REGION"] = region.empty() ? region_of(job) : region;
  return variables;
}

std::string region_of(const jobs::TrainingJob& job) {
  std::size_t start = 0;
  for (int part = 0; part < 3; ++part) {
    const std::size_t colon = job.arn.find(':', start);
    if (colon == std::string::npos) return "";
    start = colon + 1;
  }
  return job.arn.substr(start, job.arn.find(':', start) - start);
}

}  // namespace evener::runner
