#include "training/api/rules.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/near_miss.h"

namespace evener::api {

namespace {

using Texts = std::vector<std::string>;

std::string in_quotes(std::string_view text) { return "'" + std::string(text) + "'"; }

std::string joined(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) text += (text.empty() ? "" : ", ") + std::string(word);
  return text;
}

std::vector<std::string_view> group_names(const document::Value& request) {
  std::vector<std::string_view> names;
  const document::Value* resources = request.find("ResourceConfig");
  if (resources == nullptr) return names;
  for (const document::Value& group : resources->items_at("InstanceGroups"))
    names.push_back(group.text_at("InstanceGroupName"));
  return names;
}

std::int64_t integer_at(const document::Value& owner, std::string_view name, std::int64_t otherwise) {
  const document::Value* member = owner.find(name);
  return member != nullptr ? member->integer : otherwise;
}

void check_group_names(const std::vector<std::string_view>& names, Texts& texts) {
  std::set<std::string_view> seen;
  for (const std::string_view name : names)
    if (!seen.insert(name).second)
      texts.push_back("InstanceGroupName must be unique within a job: " + in_quotes(name) +
                      " is given more than once");
}

void check_resources(const document::Value& request, Texts& texts) {
  const document::Value* resources = request.find("ResourceConfig");
  if (resources == nullptr) {
    texts.emplace_back(
        "ResourceConfig is needed: InstanceType and InstanceCount, or InstanceGroups");
    return;
  }
  const bool single = resources->find("InstanceType") || resources->find("InstanceCount");
  const std::vector<std::string_view> names = group_names(request);
  std::int64_t hosts = std::min(integer_at(*resources, "InstanceCount", 0), kMostHosts + 1);
  if (!names.empty() && single)
    texts.emplace_back("InstanceType or InstanceCount cannot be specified with InstanceGroups");
  else if (names.empty() && !(resources->find("InstanceType") && resources->find("InstanceCount")))
    texts.emplace_back("ResourceConfig needs InstanceType and InstanceCount, or InstanceGroups");
  check_group_names(names, texts);
  for (const document::Value& group : resources->items_at("InstanceGroups"))
    hosts += std::min(integer_at(group, "InstanceCount", 0), kMostHosts + 1);
  if (hosts > kMostHosts)
    texts.push_back("a job has at most " + std::to_string(kMostHosts) + " instances here; more are asked for");
  if (!names.empty() && integer_at(*resources, "KeepAlivePeriodInSeconds", 0) > 0)
    texts.emplace_back("KeepAlivePeriodInSeconds cannot be used with InstanceGroups");
}

void check_channel_names(const document::Value& request, Texts& texts) {
  std::set<std::string> seen;
  for (const document::Value& channel : request.items_at("InputDataConfig")) {
    const std::string name(channel.text_at("ChannelName"));
    if (name == "." || name == "..")
      texts.push_back("ChannelName " + in_quotes(name) + " cannot be the name of a folder");
    else if (!seen.insert(name).second)
      texts.push_back("ChannelName must be unique within a job: " + in_quotes(name) +
                      " is given more than once");
  }
  for (const std::string& name : seen)
    if (seen.contains(name + "-manifest"))
      texts.push_back("ChannelName " + in_quotes(name + "-manifest") +
                      " is taken by the list of objects of channel " + in_quotes(name));
}

void check_data_source(const document::Value& channel, Texts& texts) {
  const document::Value& source = *channel.find("DataSource");
  int given = 0;
  for (const std::string_view kind : {"S3DataSource", "FileSystemDataSource", "DatasetSource"})
    if (source.find(kind) != nullptr) ++given;
  if (given != 1)
    texts.push_back("DataSource of channel " + in_quotes(channel.text_at("ChannelName")) +
                    " must have exactly one of S3DataSource, FileSystemDataSource, DatasetSource; " +
                    std::to_string(given) + " are given");
}

std::vector<std::string_view> groups_of(const document::Value& channel) {
  std::vector<std::string_view> names;
  const document::Value* source = channel.find("DataSource")->find("S3DataSource");
  if (source == nullptr) return names;
  for (const document::Value& name : source->items_at("InstanceGroupNames")) names.push_back(name.text);
  return names;
}

void check_channel_groups(const document::Value& request, Texts& texts) {
  const std::vector<std::string_view> known = group_names(request);
  std::vector<std::string_view> with;
  std::vector<std::string_view> without;
  for (const document::Value& channel : request.items_at("InputDataConfig")) {
    const std::string_view name = channel.text_at("ChannelName");
    const std::vector<std::string_view> groups = groups_of(channel);
    (groups.empty() ? without : with).push_back(name);
    for (const std::string_view group : std::set(groups.begin(), groups.end())) {
      if (std::count(groups.begin(), groups.end(), group) > 1)
        texts.push_back("channel " + in_quotes(name) + " names the instance group " + in_quotes(group) +
                        " more than once");
      if (std::find(known.begin(), known.end(), group) != known.end()) continue;
      const std::string groups_there =
          known.empty() ? "the job has no InstanceGroups" : "groups: " + joined(known);
      texts.push_back("channel " + in_quotes(name) + " names the instance group " + in_quotes(group) +
                      ", which the job does not have (" + groups_there + ")" +
                      did_you_mean(group, known));
    }
  }
  if (!with.empty() && !without.empty())
    texts.push_back("Some channels have assigned instance groups: [" + joined(with) +
                    "] while others not: [" + joined(without) + "]");
}

void check_stopping(const document::Value& request, Texts& texts) {
  const document::Value* stopping = request.find("StoppingCondition");
  const bool spot = request.true_at("EnableManagedSpotTraining");
  const document::Value* wait = stopping != nullptr ? stopping->find("MaxWaitTimeInSeconds") : nullptr;
  if (spot && wait == nullptr)
    texts.emplace_back("EnableManagedSpotTraining needs StoppingCondition.MaxWaitTimeInSeconds");
  if (stopping == nullptr) return;
  const std::int64_t runtime = integer_at(*stopping, "MaxRuntimeInSeconds", 86400);
  if (runtime > kMostRuntimeSeconds)
    texts.push_back("MaxRuntimeInSeconds must be at most " + std::to_string(kMostRuntimeSeconds) +
                    " (28 days)");
  if (wait == nullptr) return;
  if (!spot)
    texts.emplace_back("MaxWaitTimeInSeconds can be given only with EnableManagedSpotTraining");
  if (wait->integer < runtime)
    texts.emplace_back(
        "MaxWaitTimeInSeconds must be greater than or equal to MaxRuntimeInSeconds");
}

void check_algorithm(const document::Value& request, Texts& texts) {
  const document::Value* algorithm = request.find("AlgorithmSpecification");
  if (algorithm == nullptr) {
    texts.emplace_back("AlgorithmSpecification is needed, with at least TrainingInputMode");
    return;
  }
  if (algorithm->find("TrainingImage") && algorithm->find("AlgorithmName"))
    texts.emplace_back("AlgorithmSpecification has both TrainingImage and AlgorithmName; give one");
}

void check_tags(const document::Value& request, Texts& texts) {
  std::set<std::string_view> seen;
  for (const document::Value& tag : request.items_at("Tags"))
    if (!seen.insert(tag.text_at("Key")).second)
      texts.push_back("the tag key " + in_quotes(tag.text_at("Key")) + " is given more than once");
}

}  // namespace

std::vector<std::string> broken_member_rules(const document::Value& request) {
  Texts texts;
  check_algorithm(request, texts);
  check_resources(request, texts);
  check_channel_names(request, texts);
  for (const document::Value& channel : request.items_at("InputDataConfig"))
    check_data_source(channel, texts);
  check_channel_groups(request, texts);
  check_stopping(request, texts);
  check_tags(request, texts);
  return texts;
}

}  // namespace evener::api
