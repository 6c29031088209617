// Bodies for the tests of api: a valid one of two groups, and edits of it.
//
// Used by:  tests.
// Threads:  one.
// Fails:    never: edited() of a piece that is not there is a body that no test expects.
#pragma once

#include <string>
#include <string_view>

namespace evener::api {

inline constexpr std::string_view kTwoGroups = R"({
 "TrainingJobName":"het-1",
 "HyperParameters":{"epochs":"3","sagemaker_program":"\"train.py\""},
 "AlgorithmSpecification":{"TrainingInputMode":"File"},
 "RoleArn":"arn:aws:iam::000000000000:role/local",
 "InputDataConfig":[
  {"ChannelName":"raw","DataSource":{"S3DataSource":{"S3DataType":"S3Prefix","S3Uri":"s3://b/raw/",
    "S3DataDistributionType":"ShardedByS3Key","InstanceGroupNames":["data_group"]}}},
  {"ChannelName":"labels","ContentType":"text/csv","DataSource":{"S3DataSource":{
    "S3DataType":"S3Prefix","S3Uri":"file:///in/labels",
    "InstanceGroupNames":["data_group","dnn_group"]}}}],
 "OutputDataConfig":{"S3OutputPath":"s3://out/"},
 "ResourceConfig":{"VolumeSizeInGB":30,"InstanceGroups":[
  {"InstanceGroupName":"data_group","InstanceType":"ml.c5.xlarge","InstanceCount":2},
  {"InstanceGroupName":"dnn_group","InstanceType":"ml.g5.xlarge","InstanceCount":1}]},
 "StoppingCondition":{"MaxRuntimeInSeconds":3600}})";

// kTwoGroups with one piece of text replaced.
inline std::string edited(std::string_view piece, std::string_view by) {
  std::string body(kTwoGroups);
  const std::size_t at = body.find(piece);
  if (at == std::string::npos) return "piece not found: " + std::string(piece);
  return body.replace(at, piece.size(), by);
}

// With further members at the top.
inline std::string with_members(std::string_view members) {
  return edited(" \"TrainingJobName\"", std::string(members) + ", \"TrainingJobName\"");
}

}  // namespace evener::api
