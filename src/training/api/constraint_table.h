// The constraints of CreateTrainingJob. Written by tools/generate_constraints.py from the service
// model of botocore 1.44.8 (sagemaker, 2017-07-24); changed by running it again, never by hand.
//
// Used by:  constraints.cc.
// Threads:  constants.
// Fails:    nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace evener::api::model {

inline constexpr std::string_view kVersion = "botocore 1.44.8";

enum class ShapeKind { kStructure, kList, kMap, kString, kInteger, kBoolean };
enum class Need { kOptional, kRequired };
inline constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::min();

struct MemberRow {
  std::string_view name;
  std::size_t shape;
  Need need;
};

// min and max: characters of a string, elements of a list or map, or the number itself.
struct ShapeRow {
  ShapeKind kind;
  std::int64_t min;
  std::int64_t max;
  std::string_view pattern;
  std::size_t first_member;
  std::size_t member_count;
  std::size_t first_word;
  std::size_t word_count;
  std::size_t key;
  std::size_t element;
};

inline constexpr MemberRow kMembers[] = {
    {"TrainingJobName", 1, Need::kRequired},
    {"HyperParameters", 2, Need::kOptional},
    {"AlgorithmSpecification", 5, Need::kOptional},
    {"RoleArn", 22, Need::kRequired},
    {"InputDataConfig", 23, Need::kOptional},
    {"OutputDataConfig", 51, Need::kRequired},
    {"ResourceConfig", 54, Need::kOptional},
    {"VpcConfig", 69, Need::kOptional},
    {"StoppingCondition", 74, Need::kOptional},
    {"Tags", 78, Need::kOptional},
    {"EnableNetworkIsolation", 13, Need::kOptional},
    {"EnableInterContainerTrafficEncryption", 13, Need::kOptional},
    {"EnableManagedSpotTraining", 13, Need::kOptional},
    {"CheckpointConfig", 82, Need::kOptional},
    {"DebugHookConfig", 83, Need::kOptional},
    {"DebugRuleConfigurations", 91, Need::kOptional},
    {"TensorBoardOutputConfig", 96, Need::kOptional},
    {"ExperimentConfig", 97, Need::kOptional},
    {"ProfilerConfig", 99, Need::kOptional},
    {"ProfilerRuleConfigurations", 103, Need::kOptional},
    {"Environment", 105, Need::kOptional},
    {"RetryStrategy", 108, Need::kOptional},
    {"RemoteDebugConfig", 110, Need::kOptional},
    {"InfraCheckConfig", 112, Need::kOptional},
    {"SessionChainingConfig", 114, Need::kOptional},
    {"ServerlessJobConfig", 116, Need::kOptional},
    {"MlflowConfig", 124, Need::kOptional},
    {"ModelPackageConfig", 128, Need::kOptional},
    {"TrainingImage", 6, Need::kOptional},
    {"AlgorithmName", 7, Need::kOptional},
    {"TrainingInputMode", 8, Need::kRequired},
    {"MetricDefinitions", 9, Need::kOptional},
    {"EnableSageMakerMetricsTimeSeries", 13, Need::kOptional},
    {"ContainerEntrypoint", 14, Need::kOptional},
    {"ContainerArguments", 16, Need::kOptional},
    {"TrainingImageConfig", 18, Need::kOptional},
    {"Name", 11, Need::kRequired},
    {"Regex", 12, Need::kRequired},
    {"TrainingRepositoryAccessMode", 19, Need::kRequired},
    {"TrainingRepositoryAuthConfig", 20, Need::kOptional},
    {"TrainingRepositoryCredentialsProviderArn", 21, Need::kRequired},
    {"ChannelName", 25, Need::kRequired},
    {"DataSource", 26, Need::kRequired},
    {"ContentType", 46, Need::kOptional},
    {"CompressionType", 47, Need::kOptional},
    {"RecordWrapperType", 48, Need::kOptional},
    {"InputMode", 8, Need::kOptional},
    {"ShuffleConfig", 49, Need::kOptional},
    {"S3DataSource", 27, Need::kOptional},
    {"FileSystemDataSource", 39, Need::kOptional},
    {"DatasetSource", 44, Need::kOptional},
    {"S3DataType", 28, Need::kRequired},
    {"S3Uri", 29, Need::kRequired},
    {"S3DataDistributionType", 30, Need::kOptional},
    {"AttributeNames", 31, Need::kOptional},
    {"InstanceGroupNames", 33, Need::kOptional},
    {"ModelAccessConfig", 35, Need::kOptional},
    {"HubAccessConfig", 37, Need::kOptional},
    {"AcceptEula", 36, Need::kRequired},
    {"HubContentArn", 38, Need::kRequired},
    {"FileSystemId", 40, Need::kRequired},
    {"FileSystemAccessMode", 41, Need::kRequired},
    {"FileSystemType", 42, Need::kRequired},
    {"DirectoryPath", 43, Need::kRequired},
    {"DatasetArn", 45, Need::kRequired},
    {"Seed", 50, Need::kRequired},
    {"KmsKeyId", 52, Need::kOptional},
    {"S3OutputPath", 29, Need::kRequired},
    {"CompressionType", 53, Need::kOptional},
    {"InstanceType", 55, Need::kOptional},
    {"InstanceCount", 56, Need::kOptional},
    {"VolumeSizeInGB", 57, Need::kOptional},
    {"VolumeKmsKeyId", 52, Need::kOptional},
    {"KeepAlivePeriodInSeconds", 58, Need::kOptional},
    {"InstanceGroups", 59, Need::kOptional},
    {"TrainingPlanArn", 61, Need::kOptional},
    {"InstancePlacementConfig", 62, Need::kOptional},
    {"InstancePreferences", 66, Need::kOptional},
    {"SelectedInstanceType", 55, Need::kOptional},
    {"SelectedInstanceCount", 56, Need::kOptional},
    {"InstanceType", 55, Need::kRequired},
    {"InstanceCount", 56, Need::kRequired},
    {"InstanceGroupName", 34, Need::kRequired},
    {"EnableMultipleJobs", 13, Need::kOptional},
    {"PlacementSpecifications", 63, Need::kOptional},
    {"UltraServerId", 65, Need::kOptional},
    {"InstanceCount", 56, Need::kRequired},
    {"InstanceType", 55, Need::kRequired},
    {"InstanceCount", 56, Need::kOptional},
    {"TrainingPlanArns", 68, Need::kOptional},
    {"SecurityGroupIds", 70, Need::kRequired},
    {"Subnets", 72, Need::kRequired},
    {"MaxRuntimeInSeconds", 75, Need::kOptional},
    {"MaxWaitTimeInSeconds", 76, Need::kOptional},
    {"MaxPendingTimeInSeconds", 77, Need::kOptional},
    {"Key", 80, Need::kRequired},
    {"Value", 81, Need::kRequired},
    {"S3Uri", 29, Need::kRequired},
    {"LocalPath", 43, Need::kOptional},
    {"LocalPath", 43, Need::kOptional},
    {"S3OutputPath", 29, Need::kRequired},
    {"HookParameters", 84, Need::kOptional},
    {"CollectionConfigurations", 87, Need::kOptional},
    {"CollectionName", 89, Need::kOptional},
    {"CollectionParameters", 90, Need::kOptional},
    {"RuleConfigurationName", 93, Need::kRequired},
    {"LocalPath", 43, Need::kOptional},
    {"S3OutputPath", 29, Need::kOptional},
    {"RuleEvaluatorImage", 6, Need::kRequired},
    {"InstanceType", 94, Need::kOptional},
    {"VolumeSizeInGB", 57, Need::kOptional},
    {"RuleParameters", 95, Need::kOptional},
    {"LocalPath", 43, Need::kOptional},
    {"S3OutputPath", 29, Need::kRequired},
    {"ExperimentName", 98, Need::kOptional},
    {"TrialName", 98, Need::kOptional},
    {"TrialComponentDisplayName", 98, Need::kOptional},
    {"RunName", 98, Need::kOptional},
    {"S3OutputPath", 29, Need::kOptional},
    {"ProfilingIntervalInMilliseconds", 100, Need::kOptional},
    {"ProfilingParameters", 101, Need::kOptional},
    {"DisableProfiler", 102, Need::kOptional},
    {"RuleConfigurationName", 93, Need::kRequired},
    {"LocalPath", 43, Need::kOptional},
    {"S3OutputPath", 29, Need::kOptional},
    {"RuleEvaluatorImage", 6, Need::kRequired},
    {"InstanceType", 94, Need::kOptional},
    {"VolumeSizeInGB", 57, Need::kOptional},
    {"RuleParameters", 95, Need::kOptional},
    {"MaximumRetryAttempts", 109, Need::kRequired},
    {"EnableRemoteDebug", 111, Need::kOptional},
    {"EnableInfraCheck", 113, Need::kOptional},
    {"EnableSessionTagChaining", 115, Need::kOptional},
    {"BaseModelArn", 117, Need::kRequired},
    {"AcceptEula", 36, Need::kOptional},
    {"JobType", 118, Need::kRequired},
    {"CustomizationTechnique", 119, Need::kOptional},
    {"Peft", 120, Need::kOptional},
    {"EvaluationType", 121, Need::kOptional},
    {"EvaluatorArn", 122, Need::kOptional},
    {"SequenceLength", 123, Need::kOptional},
    {"MlflowResourceArn", 125, Need::kRequired},
    {"MlflowExperimentName", 126, Need::kOptional},
    {"MlflowRunName", 127, Need::kOptional},
    {"ModelPackageGroupArn", 129, Need::kRequired},
    {"SourceModelPackageArn", 130, Need::kOptional},
};

inline constexpr std::string_view kWords[] = {
    "Pipe",
    "File",
    "FastFile",
    "Platform",
    "Vpc",
    "ManifestFile",
    "S3Prefix",
    "AugmentedManifestFile",
    "Converse",
    "FullyReplicated",
    "ShardedByS3Key",
    "rw",
    "ro",
    "EFS",
    "FSxLustre",
    "None",
    "Gzip",
    "None",
    "RecordIO",
    "GZIP",
    "NONE",
    "FineTuning",
    "Evaluation",
    "SFT",
    "DPO",
    "RLVR",
    "RLAIF",
    "LORA",
    "LLMAJEvaluation",
    "CustomScorerEvaluation",
    "BenchmarkEvaluation",
};

inline constexpr ShapeRow kShapes[] = {
    {ShapeKind::kStructure, kNoLimit, kNoLimit, "", 0, 28, 0, 0, 0, 0},  // 0 CreateTrainingJobRequest
    {ShapeKind::kString, 1, 63, "[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}", 28, 0, 0, 0, 1, 1},  // 1 TrainingJobName
    {ShapeKind::kMap, 0, 100, "", 28, 0, 0, 0, 3, 4},  // 2 HyperParameters
    {ShapeKind::kString, 0, 256, ".*", 28, 0, 0, 0, 3, 3},  // 3 HyperParameterKey
    {ShapeKind::kString, 0, 2500, ".*", 28, 0, 0, 0, 4, 4},  // 4 HyperParameterValue
    {ShapeKind::kStructure, kNoLimit, kNoLimit, "", 28, 8, 0, 0, 5, 5},  // 5 AlgorithmSpecification
    {ShapeKind::kString, 0, 255, ".*", 36, 0, 0, 0, 6, 6},  // 6 AlgorithmImage
    {ShapeKind::kString, 1, 170, "(arn:aws[a-z\\-]*:sagemaker:[a-z0-9\\-]*:[0-9]{12}:[a-z\\-]*\\/)?([a-zA-Z0-9]([a-zA-Z0-9-]){0,62})(?<!-)", 36, 0, 0, 0, 7, 7},  // 7 ArnOrName
    {ShapeKind::kString, kNoLimit, kNoLimit, "", 36, 0, 0, 3, 8, 8},  // 8 TrainingInputMode
    {ShapeKind::kList, 0, 40, "", 36, 0, 3, 0, 9, 10},  // 9 MetricDefinitionList
    {ShapeKind::kStructure, kNoLimit, kNoLimit, "", 36, 2, 3, 0, 10, 10},  // 10 MetricDefinition
    {ShapeKind::kString, 1, 255, ".+", 38, 0, 3, 0, 11, 11},  // 11 MetricName
    {ShapeKind::kString, 1, 500, ".+", 38, 0, 3, 0, 12, 12},  // 12 MetricRegex
    {ShapeKind::kBoolean, kNoLimit, kNoLimit, "", 38, 0, 3, 0, 13, 13},  // 13 Boolean
    {ShapeKind::kList, 1, 100, "", 38, 0, 3, 0, 14, 15},  // 14 TrainingContainerEntrypoint
    {ShapeKind::kString, 0, 256, ".*", 38, 0, 3, 0, 15, 15},  // 15 TrainingContainerEntrypointString
    {ShapeKind::kList, 1, 100, "", 38, 0, 3, 0, 16, 17},  // 16 TrainingContainerArguments
    {ShapeKind::kString, 0, 256, ".*", 38, 0, 3, 0, 17, 17},  // 17 TrainingContainerArgument
    {ShapeKind::kStructure, kNoLimit, kNoLimit, "", 38, 2, 3, 0, 18, 18},  // 18 TrainingImageConfig
    {ShapeKind::kString, kNoLimit, kNoLimit, "", 40, 0, 3, 2, 19, 19},  // 19 TrainingRepositoryAccessMode
    {ShapeKind::kStructure, kNoLimit, kNoLimit, "", 40, 1, 5, 0, 20, 20},  // 20 TrainingRepositoryAuthConfig
    {ShapeKind::kString, 1, 2048, "arn:[\\p{Alnum}\\-]+:lambda:[\\p{Alnum}\\-]+:[0-9]{12}:function:.*", 41, 0, 5, 0, 21, 21},  // 21 TrainingRepositoryCredentialsProviderArn
    {ShapeKind::kString, 20, 2048, "arn:aws[a-z\\-]*:iam::\\d{12}:role/?[a-zA-Z_0-9+=,.@\\-_/]+", 41, 0, 5, 0, 22, 22},  // 22 RoleArn
    {ShapeKind::kList, 1, 20, "", 41, 0, 5, 0, 23, 24},  // 23 InputDataConfig
    {ShapeKind::kStructure, kNoLimit, kNoLimit, "", 41, 7, 5, 0, 24, 24},  // 24 Channel
    {ShapeKind::kString, 1, 64, "[A-Za-z0-9\\.\\-_]+", 48, 0, 5, 0, 25, 25},  // 25 ChannelName
    {ShapeKind::kStructure, kNoLimit, kNoLimit, "", 48, 3, 5, 0, 26, 26},  // 26 DataSource
    {ShapeKind::kStructure, kNoLimit, kNoLimit, "", 51, 7, 5, 0, 27, 27},  // 27 S3DataSource
    {ShapeKind::kString, kNoLimit, kNoLimit, "", 58, 0, 5, 4, 28, 28},  // 28 S3DataType
    {ShapeKind::kString, 0, 1024, "(https|s3)://([^/]+)/?(.*)", 58, 0, 9, 0, 29, 29},  // 29 S3Uri
    {ShapeKind::kString, kNoLimit, kNoLimit, "", 58, 0, 9, 2, 30, 30},  // 30 S3DataDistribution
    {ShapeKind::kList, 0, 16, "", 58, 0, 11, 0, 31, 32},  // 31 AttributeNames
    {ShapeKind::kString, 1, 256, ".+", 58, 0, 11, 0, 32, 32},  // 32 AttributeName
    {ShapeKind::kList, 0, 5, "", 58, 0, 11, 0, 33, 34},  // 33 InstanceGroupNames
    {ShapeKind::kString, 1, 64, ".+", 58, 0, 11, 0, 34, 34},  // 34 InstanceGroupName
    {ShapeKind::kStructure, kNoLimit, kNoLimit, "", 58, 1, 11, 0, 35, 35},  // 35 ModelAccessConfig
    {ShapeKind::kBoolean, kNoLimit, kNoLimit, "", 59, 0, 11, 0, 36, 36},  // 36 AcceptEula
    {ShapeKind::kStructure, kNoLimit, kNoLimit, "", 59, 1, 11, 0, 37, 37},  // 37 HubAccessConfig
    {ShapeKind::kString, 0, 255, ".*", 60, 0, 11, 0, 38, 38},  // 38 HubContentArn
    {ShapeKind::kStructure, kNoLimit, kNoLimit, "", 60, 4, 11, 0, 39, 39},  // 39 FileSystemDataSource
    {ShapeKind::kString, 11, 21, "(fs-[0-9a-f]{8,})", 64, 0, 11, 0, 40, 40},  // 40 FileSystemId
    {ShapeKind::kString, kNoLimit, kNoLimit, "", 64, 0, 11, 2, 41, 41},  // 41 FileSystemAccessMode
    {ShapeKind::kString, kNoLimit, kNoLimit, "", 64, 0, 13, 2, 42, 42},  // 42 FileSystemType
    {ShapeKind::kString, 0, 4096, ".*", 64, 0, 15, 0, 43, 43},  // 43 DirectoryPath
    {ShapeKind::kStructure, kNoLimit, kNoLimit, "", 64, 1, 15, 0, 44, 44},  // 44 DatasetSource
    {ShapeKind::kString, 0, 2048, "(arn:[a-z0-9-\\.]{1,63}:sagemaker:\\w+(?:-\\w+)+:(\\d{12}|aws):hub-content\\/)[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}\\/DataSet\\/[a-zA-Z0-9](-*[a-zA-Z0-9]){0,63}(\\/\\d{1,4}.\\d{1,4}.\\d{1,4})?", 65, 0, 15, 0, 45, 45},  // 45 HubDataSetArn
    {ShapeKind::kString, 0, 256, ".*", 65, 0, 15, 0, 46, 46},  // 46 ContentType
    {ShapeKind::kString, kNoLimit, kNoLimit, "", 65, 0, 15, 2, 47, 47},  // 47 CompressionType
    {ShapeKind::kString, kNoLimit, kNoLimit, "", 65, 0, 17, 2, 48, 48},  // 48 RecordWrapper
    {ShapeKind::kStructure, kNoLimit, kNoLimit, "", 65, 1, 19, 0, 49, 49},  // 49 ShuffleConfig
    {ShapeKind::kInteger, kNoLimit, kNoLimit, "", 66, 0, 19, 0, 50, 50},  // 50 Seed
    {ShapeKind::kStructure, kNoLimit, kNoLimit, "", 66, 3, 19, 0, 51, 51},  // 51 OutputDataConfig
    {ShapeKind::kString, 0, 2048, "[a-zA-Z0-9:/_-]*", 69, 0, 19, 0, 52, 52},  // 52 KmsKeyId
    {ShapeKind::kString, kNoLimit, kNoLimit, "", 69, 0, 19, 2, 53, 53},  // 53 OutputCompressionType
    {ShapeKind::kStructure, kNoLimit, kNoLimit, "", 69, 11, 21, 0, 54, 54},  // 54 ResourceConfig
    {ShapeKind::kString, 1, kNoLimit, "", 80, 0, 21, 0, 55, 55},  // 55 TrainingInstanceType
    {ShapeKind::kInteger, 1, kNoLimit, "", 80, 0, 21, 0, 56, 56},  // 56 TrainingInstanceCount
    {ShapeKind::kInteger, 0, kNoLimit, "", 80, 0, 21, 0, 57, 57},  // 57 OptionalVolumeSizeInGB
    {ShapeKind::kInteger, 0, 21600, "", 80, 0, 21, 0, 58, 58},  // 58 KeepAlivePeriodInSeconds
    {ShapeKind::kList, 0, 5, "", 80, 0, 21, 0, 59, 60},  // 59 InstanceGroups
    {ShapeKind::kStructure, kNoLimit, kNoLimit, "", 80, 3, 21, 0, 60, 60},  // 60 InstanceGroup
    {ShapeKind::kString, 50, 2048, "arn:aws[a-z\\-]*:sagemaker:[a-z0-9\\-]*:[0-9]{12}:training-plan/.*", 83, 0, 21, 0, 61, 61},  // 61 TrainingPlanArn
    {ShapeKind::kStructure, kNoLimit, kNoLimit, "", 83, 2, 21, 0, 62, 62},  // 62 InstancePlacementConfig
    {ShapeKind::kList, 0, 10, "", 85, 0, 21, 0, 63, 64},  // 63 PlacementSpecifications
    {ShapeKind::kStructure, kNoLimit, kNoLimit, "", 85, 2, 21, 0, 64, 64},  // 64 PlacementSpecification
    {ShapeKind::kString, 0, 256, "", 87, 0, 21, 0, 65, 65},  // 65 String256
    {ShapeKind::kList, 1, 5, "", 87, 0, 21, 0, 66, 67},  // 66 InstancePreferenceList
    {ShapeKind::kStructure, kNoLimit, kNoLimit, "", 87, 3, 21, 0, 67, 67},  // 67 InstancePreference
    {ShapeKind::kList, 1, 1, "", 90, 0, 21, 0, 68, 61},  // 68 TrainingPlanArnList
    {ShapeKind::kStructure, kNoLimit, kNoLimit, "", 90, 2, 21, 0, 69, 69},  // 69 VpcConfig
    {ShapeKind::kList, 1, 5, "", 92, 0, 21, 0, 70, 71},  // 70 VpcSecurityGroupIds
    {ShapeKind::kString, 0, 32, "[-0-9a-zA-Z]+", 92, 0, 21, 0, 71, 71},  // 71 SecurityGroupId
    {ShapeKind::kList, 1, 16, "", 92, 0, 21, 0, 72, 73},  // 72 Subnets
    {ShapeKind::kString, 0, 32, "[-0-9a-zA-Z]+", 92, 0, 21, 0, 73, 73},  // 73 SubnetId
    {ShapeKind::kStructure, kNoLimit, kNoLimit, "", 92, 3, 21, 0, 74, 74},  // 74 StoppingCondition
    {ShapeKind::kInteger, 1, kNoLimit, "", 95, 0, 21, 0, 75, 75},  // 75 MaxRuntimeInSeconds
    {ShapeKind::kInteger, 1, kNoLimit, "", 95, 0, 21, 0, 76, 76},  // 76 MaxWaitTimeInSeconds
    {ShapeKind::kInteger, 1800, 2419200, "", 95, 0, 21, 0, 77, 77},  // 77 MaxPendingTimeInSeconds
    {ShapeKind::kList, 0, 50, "", 95, 0, 21, 0, 78, 79},  // 78 TagList
    {ShapeKind::kStructure, kNoLimit, kNoLimit, "", 95, 2, 21, 0, 79, 79},  // 79 Tag
    {ShapeKind::kString, 1, 128, "([\\p{L}\\p{Z}\\p{N}_.:/=+\\-@]*)", 97, 0, 21, 0, 80, 80},  // 80 TagKey
    {ShapeKind::kString, 0, 256, "([\\p{L}\\p{Z}\\p{N}_.:/=+\\-@]*)", 97, 0, 21, 0, 81, 81},  // 81 TagValue
    {ShapeKind::kStructure, kNoLimit, kNoLimit, "", 97, 2, 21, 0, 82, 82},  // 82 CheckpointConfig
    {ShapeKind::kStructure, kNoLimit, kNoLimit, "", 99, 4, 21, 0, 83, 83},  // 83 DebugHookConfig
    {ShapeKind::kMap, 0, 20, "", 103, 0, 21, 0, 85, 86},  // 84 HookParameters
    {ShapeKind::kString, 1, 256, ".*", 103, 0, 21, 0, 85, 85},  // 85 ConfigKey
    {ShapeKind::kString, 0, 256, ".*", 103, 0, 21, 0, 86, 86},  // 86 ConfigValue
    {ShapeKind::kList, 0, 20, "", 103, 0, 21, 0, 87, 88},  // 87 CollectionConfigurations
    {ShapeKind::kStructure, kNoLimit, kNoLimit, "", 103, 2, 21, 0, 88, 88},  // 88 CollectionConfiguration
    {ShapeKind::kString, 1, 256, ".*", 105, 0, 21, 0, 89, 89},  // 89 CollectionName
    {ShapeKind::kMap, 0, 20, "", 105, 0, 21, 0, 85, 86},  // 90 CollectionParameters
    {ShapeKind::kList, 0, 20, "", 105, 0, 21, 0, 91, 92},  // 91 DebugRuleConfigurations
    {ShapeKind::kStructure, kNoLimit, kNoLimit, "", 105, 7, 21, 0, 92, 92},  // 92 DebugRuleConfiguration
    {ShapeKind::kString, 1, 256, ".*", 112, 0, 21, 0, 93, 93},  // 93 RuleConfigurationName
    {ShapeKind::kString, kNoLimit, kNoLimit, "", 112, 0, 21, 0, 94, 94},  // 94 ProcessingInstanceType
    {ShapeKind::kMap, 0, 100, "", 112, 0, 21, 0, 85, 86},  // 95 RuleParameters
    {ShapeKind::kStructure, kNoLimit, kNoLimit, "", 112, 2, 21, 0, 96, 96},  // 96 TensorBoardOutputConfig
    {ShapeKind::kStructure, kNoLimit, kNoLimit, "", 114, 4, 21, 0, 97, 97},  // 97 ExperimentConfig
    {ShapeKind::kString, 1, 120, "[a-zA-Z0-9](-*[a-zA-Z0-9]){0,119}", 118, 0, 21, 0, 98, 98},  // 98 ExperimentEntityName
    {ShapeKind::kStructure, kNoLimit, kNoLimit, "", 118, 4, 21, 0, 99, 99},  // 99 ProfilerConfig
    {ShapeKind::kInteger, kNoLimit, kNoLimit, "", 122, 0, 21, 0, 100, 100},  // 100 ProfilingIntervalInMilliseconds
    {ShapeKind::kMap, 0, 20, "", 122, 0, 21, 0, 85, 86},  // 101 ProfilingParameters
    {ShapeKind::kBoolean, kNoLimit, kNoLimit, "", 122, 0, 21, 0, 102, 102},  // 102 DisableProfiler
    {ShapeKind::kList, 0, 20, "", 122, 0, 21, 0, 103, 104},  // 103 ProfilerRuleConfigurations
    {ShapeKind::kStructure, kNoLimit, kNoLimit, "", 122, 7, 21, 0, 104, 104},  // 104 ProfilerRuleConfiguration
    {ShapeKind::kMap, 0, 100, "", 129, 0, 21, 0, 106, 107},  // 105 TrainingEnvironmentMap
    {ShapeKind::kString, 0, 512, "[a-zA-Z_][a-zA-Z0-9_]*", 129, 0, 21, 0, 106, 106},  // 106 TrainingEnvironmentKey
    {ShapeKind::kString, 0, 512, "[\\S\\s]*", 129, 0, 21, 0, 107, 107},  // 107 TrainingEnvironmentValue
    {ShapeKind::kStructure, kNoLimit, kNoLimit, "", 129, 1, 21, 0, 108, 108},  // 108 RetryStrategy
    {ShapeKind::kInteger, 1, 30, "", 130, 0, 21, 0, 109, 109},  // 109 MaximumRetryAttempts
    {ShapeKind::kStructure, kNoLimit, kNoLimit, "", 130, 1, 21, 0, 110, 110},  // 110 RemoteDebugConfig
    {ShapeKind::kBoolean, kNoLimit, kNoLimit, "", 131, 0, 21, 0, 111, 111},  // 111 EnableRemoteDebug
    {ShapeKind::kStructure, kNoLimit, kNoLimit, "", 131, 1, 21, 0, 112, 112},  // 112 InfraCheckConfig
    {ShapeKind::kBoolean, kNoLimit, kNoLimit, "", 132, 0, 21, 0, 113, 113},  // 113 EnableInfraCheck
    {ShapeKind::kStructure, kNoLimit, kNoLimit, "", 132, 1, 21, 0, 114, 114},  // 114 SessionChainingConfig
    {ShapeKind::kBoolean, kNoLimit, kNoLimit, "", 133, 0, 21, 0, 115, 115},  // 115 EnableSessionTagChaining
    {ShapeKind::kStructure, kNoLimit, kNoLimit, "", 133, 8, 21, 0, 116, 116},  // 116 ServerlessJobConfig
    {ShapeKind::kString, 1, 2048, "(arn:[a-z0-9-\\.]{1,63}:sagemaker:\\w+(?:-\\w+)+:(\\d{12}|aws):hub-content\\/)[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}\\/Model\\/[a-zA-Z0-9](-*[a-zA-Z0-9]){0,63}(\\/\\d{1,4}.\\d{1,4}.\\d{1,4})?", 141, 0, 21, 0, 117, 117},  // 117 ServerlessJobBaseModelArn
    {ShapeKind::kString, kNoLimit, kNoLimit, "", 141, 0, 21, 2, 118, 118},  // 118 ServerlessJobType
    {ShapeKind::kString, kNoLimit, kNoLimit, "", 141, 0, 23, 4, 119, 119},  // 119 CustomizationTechnique
    {ShapeKind::kString, kNoLimit, kNoLimit, "", 141, 0, 27, 1, 120, 120},  // 120 Peft
    {ShapeKind::kString, kNoLimit, kNoLimit, "", 141, 0, 28, 3, 121, 121},  // 121 EvaluationType
    {ShapeKind::kString, kNoLimit, kNoLimit, ".*", 141, 0, 31, 0, 122, 122},  // 122 EvaluatorArn
    {ShapeKind::kString, 1, 50, "\\d+K", 141, 0, 31, 0, 123, 123},  // 123 SequenceLength
    {ShapeKind::kStructure, kNoLimit, kNoLimit, "", 141, 3, 31, 0, 124, 124},  // 124 MlflowConfig
    {ShapeKind::kString, 0, 2048, "arn:aws[a-z\\-]*:sagemaker:[a-z0-9\\-]*:[0-9]{12}:mlflow-[a-zA-Z-]*/.*", 144, 0, 31, 0, 125, 125},  // 125 MlFlowResourceArn
    {ShapeKind::kString, 1, 256, ".*", 144, 0, 31, 0, 126, 126},  // 126 MlflowExperimentName
    {ShapeKind::kString, 1, 256, ".*", 144, 0, 31, 0, 127, 127},  // 127 MlflowRunName
    {ShapeKind::kStructure, kNoLimit, kNoLimit, "", 144, 2, 31, 0, 128, 128},  // 128 ModelPackageConfig
    {ShapeKind::kString, 1, 2048, "arn:aws[a-z\\-]*:sagemaker:[a-z0-9\\-]{9,16}:[0-9]{12}:model-package-group/[\\S]{1,2048}", 146, 0, 31, 0, 129, 129},  // 129 ModelPackageGroupArn
    {ShapeKind::kString, 1, 2048, "arn:aws[a-z\\-]*:sagemaker:[a-z0-9\\-]{9,16}:[0-9]{12}:model-package/[\\S]{1,2048}", 146, 0, 31, 0, 130, 130},  // 130 ModelPackageArn
};

}  // namespace evener::api::model
