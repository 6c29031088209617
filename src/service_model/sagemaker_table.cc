// The constraints of sagemaker's inputs. Written by tools/generate_constraints.py from the service
// model of botocore 1.44.8 (sagemaker, 2017-07-24); changed by running it again, never by hand.
#include "service_model/table.h"

namespace evener::service_model {
namespace {

constexpr std::string_view kOperations[] = {
    "AddTags", "CreateTrainingJob", "DeleteTags", "DeleteTrainingJob", "DescribeTrainingJob",
    "ListTags", "ListTrainingJobs", "Search", "StopTrainingJob", "UpdateTrainingJob",
};

constexpr std::size_t kInputs[] = {
    0, 6, 133, 135, 136, 137, 140, 148, 166, 167,
};

constexpr MemberRow kMembers[] = {
    {"ResourceArn", 1, Need::kRequired}, {"Tags", 2, Need::kRequired}, {"Key", 4, Need::kRequired},
    {"Value", 5, Need::kRequired}, {"TrainingJobName", 7, Need::kRequired},
    {"HyperParameters", 8, Need::kOptional}, {"AlgorithmSpecification", 11, Need::kOptional},
    {"RoleArn", 28, Need::kRequired}, {"InputDataConfig", 29, Need::kOptional},
    {"OutputDataConfig", 57, Need::kRequired}, {"ResourceConfig", 60, Need::kOptional},
    {"VpcConfig", 75, Need::kOptional}, {"StoppingCondition", 80, Need::kOptional},
    {"Tags", 2, Need::kOptional}, {"EnableNetworkIsolation", 19, Need::kOptional},
    {"EnableInterContainerTrafficEncryption", 19, Need::kOptional},
    {"EnableManagedSpotTraining", 19, Need::kOptional}, {"CheckpointConfig", 84, Need::kOptional},
    {"DebugHookConfig", 85, Need::kOptional}, {"DebugRuleConfigurations", 93, Need::kOptional},
    {"TensorBoardOutputConfig", 98, Need::kOptional}, {"ExperimentConfig", 99, Need::kOptional},
    {"ProfilerConfig", 101, Need::kOptional}, {"ProfilerRuleConfigurations", 105, Need::kOptional},
    {"Environment", 107, Need::kOptional}, {"RetryStrategy", 110, Need::kOptional},
    {"RemoteDebugConfig", 112, Need::kOptional}, {"InfraCheckConfig", 114, Need::kOptional},
    {"SessionChainingConfig", 116, Need::kOptional}, {"ServerlessJobConfig", 118, Need::kOptional},
    {"MlflowConfig", 126, Need::kOptional}, {"ModelPackageConfig", 130, Need::kOptional},
    {"TrainingImage", 12, Need::kOptional}, {"AlgorithmName", 13, Need::kOptional},
    {"TrainingInputMode", 14, Need::kRequired}, {"MetricDefinitions", 15, Need::kOptional},
    {"EnableSageMakerMetricsTimeSeries", 19, Need::kOptional},
    {"ContainerEntrypoint", 20, Need::kOptional}, {"ContainerArguments", 22, Need::kOptional},
    {"TrainingImageConfig", 24, Need::kOptional}, {"Name", 17, Need::kRequired},
    {"Regex", 18, Need::kRequired}, {"TrainingRepositoryAccessMode", 25, Need::kRequired},
    {"TrainingRepositoryAuthConfig", 26, Need::kOptional},
    {"TrainingRepositoryCredentialsProviderArn", 27, Need::kRequired},
    {"ChannelName", 31, Need::kRequired}, {"DataSource", 32, Need::kRequired},
    {"ContentType", 52, Need::kOptional}, {"CompressionType", 53, Need::kOptional},
    {"RecordWrapperType", 54, Need::kOptional}, {"InputMode", 14, Need::kOptional},
    {"ShuffleConfig", 55, Need::kOptional}, {"S3DataSource", 33, Need::kOptional},
    {"FileSystemDataSource", 45, Need::kOptional}, {"DatasetSource", 50, Need::kOptional},
    {"S3DataType", 34, Need::kRequired}, {"S3Uri", 35, Need::kRequired},
    {"S3DataDistributionType", 36, Need::kOptional}, {"AttributeNames", 37, Need::kOptional},
    {"InstanceGroupNames", 39, Need::kOptional}, {"ModelAccessConfig", 41, Need::kOptional},
    {"HubAccessConfig", 43, Need::kOptional}, {"AcceptEula", 42, Need::kRequired},
    {"HubContentArn", 44, Need::kRequired}, {"FileSystemId", 46, Need::kRequired},
    {"FileSystemAccessMode", 47, Need::kRequired}, {"FileSystemType", 48, Need::kRequired},
    {"DirectoryPath", 49, Need::kRequired}, {"DatasetArn", 51, Need::kRequired},
    {"Seed", 56, Need::kRequired}, {"KmsKeyId", 58, Need::kOptional},
    {"S3OutputPath", 35, Need::kRequired}, {"CompressionType", 59, Need::kOptional},
    {"InstanceType", 61, Need::kOptional}, {"InstanceCount", 62, Need::kOptional},
    {"VolumeSizeInGB", 63, Need::kOptional}, {"VolumeKmsKeyId", 58, Need::kOptional},
    {"KeepAlivePeriodInSeconds", 64, Need::kOptional}, {"InstanceGroups", 65, Need::kOptional},
    {"TrainingPlanArn", 67, Need::kOptional}, {"InstancePlacementConfig", 68, Need::kOptional},
    {"InstancePreferences", 72, Need::kOptional}, {"SelectedInstanceType", 61, Need::kOptional},
    {"SelectedInstanceCount", 62, Need::kOptional}, {"InstanceType", 61, Need::kRequired},
    {"InstanceCount", 62, Need::kRequired}, {"InstanceGroupName", 40, Need::kRequired},
    {"EnableMultipleJobs", 19, Need::kOptional}, {"PlacementSpecifications", 69, Need::kOptional},
    {"UltraServerId", 71, Need::kOptional}, {"InstanceCount", 62, Need::kRequired},
    {"InstanceType", 61, Need::kRequired}, {"InstanceCount", 62, Need::kOptional},
    {"TrainingPlanArns", 74, Need::kOptional}, {"SecurityGroupIds", 76, Need::kRequired},
    {"Subnets", 78, Need::kRequired}, {"MaxRuntimeInSeconds", 81, Need::kOptional},
    {"MaxWaitTimeInSeconds", 82, Need::kOptional}, {"MaxPendingTimeInSeconds", 83, Need::kOptional},
    {"S3Uri", 35, Need::kRequired}, {"LocalPath", 49, Need::kOptional},
    {"LocalPath", 49, Need::kOptional}, {"S3OutputPath", 35, Need::kRequired},
    {"HookParameters", 86, Need::kOptional}, {"CollectionConfigurations", 89, Need::kOptional},
    {"CollectionName", 91, Need::kOptional}, {"CollectionParameters", 92, Need::kOptional},
    {"RuleConfigurationName", 95, Need::kRequired}, {"LocalPath", 49, Need::kOptional},
    {"S3OutputPath", 35, Need::kOptional}, {"RuleEvaluatorImage", 12, Need::kRequired},
    {"InstanceType", 96, Need::kOptional}, {"VolumeSizeInGB", 63, Need::kOptional},
    {"RuleParameters", 97, Need::kOptional}, {"LocalPath", 49, Need::kOptional},
    {"S3OutputPath", 35, Need::kRequired}, {"ExperimentName", 100, Need::kOptional},
    {"TrialName", 100, Need::kOptional}, {"TrialComponentDisplayName", 100, Need::kOptional},
    {"RunName", 100, Need::kOptional}, {"S3OutputPath", 35, Need::kOptional},
    {"ProfilingIntervalInMilliseconds", 102, Need::kOptional},
    {"ProfilingParameters", 103, Need::kOptional}, {"DisableProfiler", 104, Need::kOptional},
    {"RuleConfigurationName", 95, Need::kRequired}, {"LocalPath", 49, Need::kOptional},
    {"S3OutputPath", 35, Need::kOptional}, {"RuleEvaluatorImage", 12, Need::kRequired},
    {"InstanceType", 96, Need::kOptional}, {"VolumeSizeInGB", 63, Need::kOptional},
    {"RuleParameters", 97, Need::kOptional}, {"MaximumRetryAttempts", 111, Need::kRequired},
    {"EnableRemoteDebug", 113, Need::kOptional}, {"EnableInfraCheck", 115, Need::kOptional},
    {"EnableSessionTagChaining", 117, Need::kOptional}, {"BaseModelArn", 119, Need::kRequired},
    {"AcceptEula", 42, Need::kOptional}, {"JobType", 120, Need::kRequired},
    {"CustomizationTechnique", 121, Need::kOptional}, {"Peft", 122, Need::kOptional},
    {"EvaluationType", 123, Need::kOptional}, {"EvaluatorArn", 124, Need::kOptional},
    {"SequenceLength", 125, Need::kOptional}, {"MlflowResourceArn", 127, Need::kRequired},
    {"MlflowExperimentName", 128, Need::kOptional}, {"MlflowRunName", 129, Need::kOptional},
    {"ModelPackageGroupArn", 131, Need::kRequired}, {"SourceModelPackageArn", 132, Need::kOptional},
    {"ResourceArn", 1, Need::kRequired}, {"TagKeys", 134, Need::kRequired},
    {"TrainingJobName", 7, Need::kRequired}, {"TrainingJobName", 7, Need::kRequired},
    {"ResourceArn", 1, Need::kRequired}, {"NextToken", 138, Need::kOptional},
    {"MaxResults", 139, Need::kOptional}, {"NextToken", 138, Need::kOptional},
    {"MaxResults", 141, Need::kOptional}, {"CreationTimeAfter", 142, Need::kOptional},
    {"CreationTimeBefore", 142, Need::kOptional}, {"LastModifiedTimeAfter", 142, Need::kOptional},
    {"LastModifiedTimeBefore", 142, Need::kOptional}, {"NameContains", 143, Need::kOptional},
    {"StatusEquals", 144, Need::kOptional}, {"SortBy", 145, Need::kOptional},
    {"SortOrder", 146, Need::kOptional}, {"WarmPoolStatusEquals", 147, Need::kOptional},
    {"TrainingPlanArnEquals", 67, Need::kOptional}, {"Resource", 149, Need::kRequired},
    {"SearchExpression", 150, Need::kOptional}, {"SortBy", 153, Need::kOptional},
    {"SortOrder", 160, Need::kOptional}, {"NextToken", 138, Need::kOptional},
    {"MaxResults", 141, Need::kOptional}, {"CrossAccountFilterOption", 161, Need::kOptional},
    {"VisibilityConditions", 162, Need::kOptional}, {"Filters", 151, Need::kOptional},
    {"NestedFilters", 156, Need::kOptional}, {"SubExpressions", 158, Need::kOptional},
    {"Operator", 159, Need::kOptional}, {"Name", 153, Need::kRequired},
    {"Operator", 154, Need::kOptional}, {"Value", 155, Need::kOptional},
    {"NestedPropertyName", 153, Need::kRequired}, {"Filters", 151, Need::kRequired},
    {"Key", 164, Need::kOptional}, {"Value", 165, Need::kOptional},
    {"TrainingJobName", 7, Need::kRequired}, {"TrainingJobName", 7, Need::kRequired},
    {"ProfilerConfig", 168, Need::kOptional}, {"ProfilerRuleConfigurations", 105, Need::kOptional},
    {"ResourceConfig", 169, Need::kOptional}, {"RemoteDebugConfig", 170, Need::kOptional},
    {"S3OutputPath", 35, Need::kOptional},
    {"ProfilingIntervalInMilliseconds", 102, Need::kOptional},
    {"ProfilingParameters", 103, Need::kOptional}, {"DisableProfiler", 104, Need::kOptional},
    {"KeepAlivePeriodInSeconds", 64, Need::kRequired}, {"EnableRemoteDebug", 113, Need::kOptional},
};

constexpr std::string_view kWords[] = {
    "Pipe", "File", "FastFile", "Platform", "Vpc", "ManifestFile", "S3Prefix",
    "AugmentedManifestFile", "Converse", "FullyReplicated", "ShardedByS3Key", "rw", "ro", "EFS",
    "FSxLustre", "None", "Gzip", "None", "RecordIO", "GZIP", "NONE", "FineTuning", "Evaluation",
    "SFT", "DPO", "RLVR", "RLAIF", "LORA", "LLMAJEvaluation", "CustomScorerEvaluation",
    "BenchmarkEvaluation", "InProgress", "Completed", "Failed", "Stopping", "Stopped", "Deleting",
    "Name", "CreationTime", "Status", "Ascending", "Descending", "Available", "Terminated",
    "Reused", "InUse", "TrainingJob", "Experiment", "ExperimentTrial", "ExperimentTrialComponent",
    "Endpoint", "Model", "ModelPackage", "ModelPackageGroup", "Pipeline", "PipelineExecution",
    "FeatureGroup", "FeatureMetadata", "Image", "ImageVersion", "Project",
    "HyperParameterTuningJob", "ModelCard", "PipelineVersion", "Job", "HubContent", "Equals",
    "NotEquals", "GreaterThan", "GreaterThanOrEqualTo", "LessThan", "LessThanOrEqualTo", "Contains",
    "Exists", "NotExists", "In", "And", "Or", "Ascending", "Descending", "SameAccount",
    "CrossAccount",
};

constexpr ShapeRow kShapes[] = {
    {.kind = ShapeKind::kStructure, .first_member = 0, .member_count = 2},  // 0 AddTagsInput
    {.kind = ShapeKind::kString, .min = 0, .max = 256, .pattern = "arn:aws[a-z-]*:sagemaker:[a-z0-9-]*:[0-9]{12}:.+"},  // 1 ResourceArn
    {.kind = ShapeKind::kList, .min = 0, .max = 50, .element = 3},  // 2 TagList
    {.kind = ShapeKind::kStructure, .first_member = 2, .member_count = 2},  // 3 Tag
    {.kind = ShapeKind::kString, .min = 1, .max = 128, .pattern = "([\\p{L}\\p{Z}\\p{N}_.:/=+\\-@]*)"},  // 4 TagKey
    {.kind = ShapeKind::kString, .min = 0, .max = 256, .pattern = "([\\p{L}\\p{Z}\\p{N}_.:/=+\\-@]*)"},  // 5 TagValue
    {.kind = ShapeKind::kStructure, .first_member = 4, .member_count = 28},  // 6 CreateTrainingJobRequest
    {.kind = ShapeKind::kString, .min = 1, .max = 63, .pattern = "[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}"},  // 7 TrainingJobName
    {.kind = ShapeKind::kMap, .min = 0, .max = 100, .key = 9, .element = 10},  // 8 HyperParameters
    {.kind = ShapeKind::kString, .min = 0, .max = 256, .pattern = ".*"},  // 9 HyperParameterKey
    {.kind = ShapeKind::kString, .min = 0, .max = 2500, .pattern = ".*"},  // 10 HyperParameterValue
    {.kind = ShapeKind::kStructure, .first_member = 32, .member_count = 8},  // 11 AlgorithmSpecification
    {.kind = ShapeKind::kString, .min = 0, .max = 255, .pattern = ".*"},  // 12 AlgorithmImage
    {.kind = ShapeKind::kString, .min = 1, .max = 170, .pattern = "(arn:aws[a-z\\-]*:sagemaker:[a-z0-9\\-]*:[0-9]{12}:[a-z\\-]*\\/)?([a-zA-Z0-9]([a-zA-Z0-9-]){0,62})(?<!-)"},  // 13 ArnOrName
    {.kind = ShapeKind::kString, .first_word = 0, .word_count = 3},  // 14 TrainingInputMode
    {.kind = ShapeKind::kList, .min = 0, .max = 40, .element = 16},  // 15 MetricDefinitionList
    {.kind = ShapeKind::kStructure, .first_member = 40, .member_count = 2},  // 16 MetricDefinition
    {.kind = ShapeKind::kString, .min = 1, .max = 255, .pattern = ".+"},  // 17 MetricName
    {.kind = ShapeKind::kString, .min = 1, .max = 500, .pattern = ".+"},  // 18 MetricRegex
    {.kind = ShapeKind::kBoolean},  // 19 Boolean
    {.kind = ShapeKind::kList, .min = 1, .max = 100, .element = 21},  // 20 TrainingContainerEntrypoint
    {.kind = ShapeKind::kString, .min = 0, .max = 256, .pattern = ".*"},  // 21 TrainingContainerEntrypointString
    {.kind = ShapeKind::kList, .min = 1, .max = 100, .element = 23},  // 22 TrainingContainerArguments
    {.kind = ShapeKind::kString, .min = 0, .max = 256, .pattern = ".*"},  // 23 TrainingContainerArgument
    {.kind = ShapeKind::kStructure, .first_member = 42, .member_count = 2},  // 24 TrainingImageConfig
    {.kind = ShapeKind::kString, .first_word = 3, .word_count = 2},  // 25 TrainingRepositoryAccessMode
    {.kind = ShapeKind::kStructure, .first_member = 44, .member_count = 1},  // 26 TrainingRepositoryAuthConfig
    {.kind = ShapeKind::kString, .min = 1, .max = 2048, .pattern = "arn:[\\p{Alnum}\\-]+:lambda:[\\p{Alnum}\\-]+:[0-9]{12}:function:.*"},  // 27 TrainingRepositoryCredentialsProviderArn
    {.kind = ShapeKind::kString, .min = 20, .max = 2048, .pattern = "arn:aws[a-z\\-]*:iam::\\d{12}:role/?[a-zA-Z_0-9+=,.@\\-_/]+"},  // 28 RoleArn
    {.kind = ShapeKind::kList, .min = 1, .max = 20, .element = 30},  // 29 InputDataConfig
    {.kind = ShapeKind::kStructure, .first_member = 45, .member_count = 7},  // 30 Channel
    {.kind = ShapeKind::kString, .min = 1, .max = 64, .pattern = "[A-Za-z0-9\\.\\-_]+"},  // 31 ChannelName
    {.kind = ShapeKind::kStructure, .first_member = 52, .member_count = 3},  // 32 DataSource
    {.kind = ShapeKind::kStructure, .first_member = 55, .member_count = 7},  // 33 S3DataSource
    {.kind = ShapeKind::kString, .first_word = 5, .word_count = 4},  // 34 S3DataType
    {.kind = ShapeKind::kString, .min = 0, .max = 1024, .pattern = "(https|s3)://([^/]+)/?(.*)"},  // 35 S3Uri
    {.kind = ShapeKind::kString, .first_word = 9, .word_count = 2},  // 36 S3DataDistribution
    {.kind = ShapeKind::kList, .min = 0, .max = 16, .element = 38},  // 37 AttributeNames
    {.kind = ShapeKind::kString, .min = 1, .max = 256, .pattern = ".+"},  // 38 AttributeName
    {.kind = ShapeKind::kList, .min = 0, .max = 5, .element = 40},  // 39 InstanceGroupNames
    {.kind = ShapeKind::kString, .min = 1, .max = 64, .pattern = ".+"},  // 40 InstanceGroupName
    {.kind = ShapeKind::kStructure, .first_member = 62, .member_count = 1},  // 41 ModelAccessConfig
    {.kind = ShapeKind::kBoolean},  // 42 AcceptEula
    {.kind = ShapeKind::kStructure, .first_member = 63, .member_count = 1},  // 43 HubAccessConfig
    {.kind = ShapeKind::kString, .min = 0, .max = 255, .pattern = ".*"},  // 44 HubContentArn
    {.kind = ShapeKind::kStructure, .first_member = 64, .member_count = 4},  // 45 FileSystemDataSource
    {.kind = ShapeKind::kString, .min = 11, .max = 21, .pattern = "(fs-[0-9a-f]{8,})"},  // 46 FileSystemId
    {.kind = ShapeKind::kString, .first_word = 11, .word_count = 2},  // 47 FileSystemAccessMode
    {.kind = ShapeKind::kString, .first_word = 13, .word_count = 2},  // 48 FileSystemType
    {.kind = ShapeKind::kString, .min = 0, .max = 4096, .pattern = ".*"},  // 49 DirectoryPath
    {.kind = ShapeKind::kStructure, .first_member = 68, .member_count = 1},  // 50 DatasetSource
    {.kind = ShapeKind::kString, .min = 0, .max = 2048, .pattern = "(arn:[a-z0-9-\\.]{1,63}:sagemaker:\\w+(?:-\\w+)+:(\\d{12}|aws):hub-content\\/)[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}\\/DataSet\\/[a-zA-Z0-9](-*[a-zA-Z0-9]){0,63}(\\/\\d{1,4}.\\d{1,4}.\\d{1,4})?"},  // 51 HubDataSetArn
    {.kind = ShapeKind::kString, .min = 0, .max = 256, .pattern = ".*"},  // 52 ContentType
    {.kind = ShapeKind::kString, .first_word = 15, .word_count = 2},  // 53 CompressionType
    {.kind = ShapeKind::kString, .first_word = 17, .word_count = 2},  // 54 RecordWrapper
    {.kind = ShapeKind::kStructure, .first_member = 69, .member_count = 1},  // 55 ShuffleConfig
    {.kind = ShapeKind::kInteger},  // 56 Seed
    {.kind = ShapeKind::kStructure, .first_member = 70, .member_count = 3},  // 57 OutputDataConfig
    {.kind = ShapeKind::kString, .min = 0, .max = 2048, .pattern = "[a-zA-Z0-9:/_-]*"},  // 58 KmsKeyId
    {.kind = ShapeKind::kString, .first_word = 19, .word_count = 2},  // 59 OutputCompressionType
    {.kind = ShapeKind::kStructure, .first_member = 73, .member_count = 11},  // 60 ResourceConfig
    {.kind = ShapeKind::kString, .min = 1},  // 61 TrainingInstanceType
    {.kind = ShapeKind::kInteger, .min = 1},  // 62 TrainingInstanceCount
    {.kind = ShapeKind::kInteger, .min = 0},  // 63 OptionalVolumeSizeInGB
    {.kind = ShapeKind::kInteger, .min = 0, .max = 21600},  // 64 KeepAlivePeriodInSeconds
    {.kind = ShapeKind::kList, .min = 0, .max = 5, .element = 66},  // 65 InstanceGroups
    {.kind = ShapeKind::kStructure, .first_member = 84, .member_count = 3},  // 66 InstanceGroup
    {.kind = ShapeKind::kString, .min = 50, .max = 2048, .pattern = "arn:aws[a-z\\-]*:sagemaker:[a-z0-9\\-]*:[0-9]{12}:training-plan/.*"},  // 67 TrainingPlanArn
    {.kind = ShapeKind::kStructure, .first_member = 87, .member_count = 2},  // 68 InstancePlacementConfig
    {.kind = ShapeKind::kList, .min = 0, .max = 10, .element = 70},  // 69 PlacementSpecifications
    {.kind = ShapeKind::kStructure, .first_member = 89, .member_count = 2},  // 70 PlacementSpecification
    {.kind = ShapeKind::kString, .min = 0, .max = 256},  // 71 String256
    {.kind = ShapeKind::kList, .min = 1, .max = 5, .element = 73},  // 72 InstancePreferenceList
    {.kind = ShapeKind::kStructure, .first_member = 91, .member_count = 3},  // 73 InstancePreference
    {.kind = ShapeKind::kList, .min = 1, .max = 1, .element = 67},  // 74 TrainingPlanArnList
    {.kind = ShapeKind::kStructure, .first_member = 94, .member_count = 2},  // 75 VpcConfig
    {.kind = ShapeKind::kList, .min = 1, .max = 5, .element = 77},  // 76 VpcSecurityGroupIds
    {.kind = ShapeKind::kString, .min = 0, .max = 32, .pattern = "[-0-9a-zA-Z]+"},  // 77 SecurityGroupId
    {.kind = ShapeKind::kList, .min = 1, .max = 16, .element = 79},  // 78 Subnets
    {.kind = ShapeKind::kString, .min = 0, .max = 32, .pattern = "[-0-9a-zA-Z]+"},  // 79 SubnetId
    {.kind = ShapeKind::kStructure, .first_member = 96, .member_count = 3},  // 80 StoppingCondition
    {.kind = ShapeKind::kInteger, .min = 1},  // 81 MaxRuntimeInSeconds
    {.kind = ShapeKind::kInteger, .min = 1},  // 82 MaxWaitTimeInSeconds
    {.kind = ShapeKind::kInteger, .min = 1800, .max = 2419200},  // 83 MaxPendingTimeInSeconds
    {.kind = ShapeKind::kStructure, .first_member = 99, .member_count = 2},  // 84 CheckpointConfig
    {.kind = ShapeKind::kStructure, .first_member = 101, .member_count = 4},  // 85 DebugHookConfig
    {.kind = ShapeKind::kMap, .min = 0, .max = 20, .key = 87, .element = 88},  // 86 HookParameters
    {.kind = ShapeKind::kString, .min = 1, .max = 256, .pattern = ".*"},  // 87 ConfigKey
    {.kind = ShapeKind::kString, .min = 0, .max = 256, .pattern = ".*"},  // 88 ConfigValue
    {.kind = ShapeKind::kList, .min = 0, .max = 20, .element = 90},  // 89 CollectionConfigurations
    {.kind = ShapeKind::kStructure, .first_member = 105, .member_count = 2},  // 90 CollectionConfiguration
    {.kind = ShapeKind::kString, .min = 1, .max = 256, .pattern = ".*"},  // 91 CollectionName
    {.kind = ShapeKind::kMap, .min = 0, .max = 20, .key = 87, .element = 88},  // 92 CollectionParameters
    {.kind = ShapeKind::kList, .min = 0, .max = 20, .element = 94},  // 93 DebugRuleConfigurations
    {.kind = ShapeKind::kStructure, .first_member = 107, .member_count = 7},  // 94 DebugRuleConfiguration
    {.kind = ShapeKind::kString, .min = 1, .max = 256, .pattern = ".*"},  // 95 RuleConfigurationName
    {.kind = ShapeKind::kString},  // 96 ProcessingInstanceType
    {.kind = ShapeKind::kMap, .min = 0, .max = 100, .key = 87, .element = 88},  // 97 RuleParameters
    {.kind = ShapeKind::kStructure, .first_member = 114, .member_count = 2},  // 98 TensorBoardOutputConfig
    {.kind = ShapeKind::kStructure, .first_member = 116, .member_count = 4},  // 99 ExperimentConfig
    {.kind = ShapeKind::kString, .min = 1, .max = 120, .pattern = "[a-zA-Z0-9](-*[a-zA-Z0-9]){0,119}"},  // 100 ExperimentEntityName
    {.kind = ShapeKind::kStructure, .first_member = 120, .member_count = 4},  // 101 ProfilerConfig
    {.kind = ShapeKind::kInteger},  // 102 ProfilingIntervalInMilliseconds
    {.kind = ShapeKind::kMap, .min = 0, .max = 20, .key = 87, .element = 88},  // 103 ProfilingParameters
    {.kind = ShapeKind::kBoolean},  // 104 DisableProfiler
    {.kind = ShapeKind::kList, .min = 0, .max = 20, .element = 106},  // 105 ProfilerRuleConfigurations
    {.kind = ShapeKind::kStructure, .first_member = 124, .member_count = 7},  // 106 ProfilerRuleConfiguration
    {.kind = ShapeKind::kMap, .min = 0, .max = 100, .key = 108, .element = 109},  // 107 TrainingEnvironmentMap
    {.kind = ShapeKind::kString, .min = 0, .max = 512, .pattern = "[a-zA-Z_][a-zA-Z0-9_]*"},  // 108 TrainingEnvironmentKey
    {.kind = ShapeKind::kString, .min = 0, .max = 512, .pattern = "[\\S\\s]*"},  // 109 TrainingEnvironmentValue
    {.kind = ShapeKind::kStructure, .first_member = 131, .member_count = 1},  // 110 RetryStrategy
    {.kind = ShapeKind::kInteger, .min = 1, .max = 30},  // 111 MaximumRetryAttempts
    {.kind = ShapeKind::kStructure, .first_member = 132, .member_count = 1},  // 112 RemoteDebugConfig
    {.kind = ShapeKind::kBoolean},  // 113 EnableRemoteDebug
    {.kind = ShapeKind::kStructure, .first_member = 133, .member_count = 1},  // 114 InfraCheckConfig
    {.kind = ShapeKind::kBoolean},  // 115 EnableInfraCheck
    {.kind = ShapeKind::kStructure, .first_member = 134, .member_count = 1},  // 116 SessionChainingConfig
    {.kind = ShapeKind::kBoolean},  // 117 EnableSessionTagChaining
    {.kind = ShapeKind::kStructure, .first_member = 135, .member_count = 8},  // 118 ServerlessJobConfig
    {.kind = ShapeKind::kString, .min = 1, .max = 2048, .pattern = "(arn:[a-z0-9-\\.]{1,63}:sagemaker:\\w+(?:-\\w+)+:(\\d{12}|aws):hub-content\\/)[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}\\/Model\\/[a-zA-Z0-9](-*[a-zA-Z0-9]){0,63}(\\/\\d{1,4}.\\d{1,4}.\\d{1,4})?"},  // 119 ServerlessJobBaseModelArn
    {.kind = ShapeKind::kString, .first_word = 21, .word_count = 2},  // 120 ServerlessJobType
    {.kind = ShapeKind::kString, .first_word = 23, .word_count = 4},  // 121 CustomizationTechnique
    {.kind = ShapeKind::kString, .first_word = 27, .word_count = 1},  // 122 Peft
    {.kind = ShapeKind::kString, .first_word = 28, .word_count = 3},  // 123 EvaluationType
    {.kind = ShapeKind::kString, .pattern = ".*"},  // 124 EvaluatorArn
    {.kind = ShapeKind::kString, .min = 1, .max = 50, .pattern = "\\d+K"},  // 125 SequenceLength
    {.kind = ShapeKind::kStructure, .first_member = 143, .member_count = 3},  // 126 MlflowConfig
    {.kind = ShapeKind::kString, .min = 0, .max = 2048, .pattern = "arn:aws[a-z\\-]*:sagemaker:[a-z0-9\\-]*:[0-9]{12}:mlflow-[a-zA-Z-]*/.*"},  // 127 MlFlowResourceArn
    {.kind = ShapeKind::kString, .min = 1, .max = 256, .pattern = ".*"},  // 128 MlflowExperimentName
    {.kind = ShapeKind::kString, .min = 1, .max = 256, .pattern = ".*"},  // 129 MlflowRunName
    {.kind = ShapeKind::kStructure, .first_member = 146, .member_count = 2},  // 130 ModelPackageConfig
    {.kind = ShapeKind::kString, .min = 1, .max = 2048, .pattern = "arn:aws[a-z\\-]*:sagemaker:[a-z0-9\\-]{9,16}:[0-9]{12}:model-package-group/[\\S]{1,2048}"},  // 131 ModelPackageGroupArn
    {.kind = ShapeKind::kString, .min = 1, .max = 2048, .pattern = "arn:aws[a-z\\-]*:sagemaker:[a-z0-9\\-]{9,16}:[0-9]{12}:model-package/[\\S]{1,2048}"},  // 132 ModelPackageArn
    {.kind = ShapeKind::kStructure, .first_member = 148, .member_count = 2},  // 133 DeleteTagsInput
    {.kind = ShapeKind::kList, .min = 1, .max = 50, .element = 4},  // 134 TagKeyList
    {.kind = ShapeKind::kStructure, .first_member = 150, .member_count = 1},  // 135 DeleteTrainingJobRequest
    {.kind = ShapeKind::kStructure, .first_member = 151, .member_count = 1},  // 136 DescribeTrainingJobRequest
    {.kind = ShapeKind::kStructure, .first_member = 152, .member_count = 3},  // 137 ListTagsInput
    {.kind = ShapeKind::kString, .min = 0, .max = 8192, .pattern = ".*"},  // 138 NextToken
    {.kind = ShapeKind::kInteger, .min = 50},  // 139 ListTagsMaxResults
    {.kind = ShapeKind::kStructure, .first_member = 155, .member_count = 12},  // 140 ListTrainingJobsRequest
    {.kind = ShapeKind::kInteger, .min = 1, .max = 100},  // 141 MaxResults
    {.kind = ShapeKind::kTimestamp},  // 142 Timestamp
    {.kind = ShapeKind::kString, .min = 0, .max = 63, .pattern = "[a-zA-Z0-9\\-]+"},  // 143 NameContains
    {.kind = ShapeKind::kString, .first_word = 31, .word_count = 6},  // 144 TrainingJobStatus
    {.kind = ShapeKind::kString, .first_word = 37, .word_count = 3},  // 145 SortBy
    {.kind = ShapeKind::kString, .first_word = 40, .word_count = 2},  // 146 SortOrder
    {.kind = ShapeKind::kString, .first_word = 42, .word_count = 4},  // 147 WarmPoolResourceStatus
    {.kind = ShapeKind::kStructure, .first_member = 167, .member_count = 8},  // 148 SearchRequest
    {.kind = ShapeKind::kString, .first_word = 46, .word_count = 20},  // 149 ResourceType
    {.kind = ShapeKind::kStructure, .first_member = 175, .member_count = 4},  // 150 SearchExpression
    {.kind = ShapeKind::kList, .min = 1, .max = 20, .element = 152},  // 151 FilterList
    {.kind = ShapeKind::kStructure, .first_member = 179, .member_count = 3},  // 152 Filter
    {.kind = ShapeKind::kString, .min = 1, .max = 255, .pattern = ".+"},  // 153 ResourcePropertyName
    {.kind = ShapeKind::kString, .first_word = 66, .word_count = 10},  // 154 Operator
    {.kind = ShapeKind::kString, .min = 1, .max = 1024, .pattern = ".+"},  // 155 FilterValue
    {.kind = ShapeKind::kList, .min = 1, .max = 20, .element = 157},  // 156 NestedFiltersList
    {.kind = ShapeKind::kStructure, .first_member = 182, .member_count = 2},  // 157 NestedFilters
    {.kind = ShapeKind::kList, .min = 1, .max = 20, .element = 150},  // 158 SearchExpressionList
    {.kind = ShapeKind::kString, .first_word = 76, .word_count = 2},  // 159 BooleanOperator
    {.kind = ShapeKind::kString, .first_word = 78, .word_count = 2},  // 160 SearchSortOrder
    {.kind = ShapeKind::kString, .first_word = 80, .word_count = 2},  // 161 CrossAccountFilterOption
    {.kind = ShapeKind::kList, .min = 1, .max = 5, .element = 163},  // 162 VisibilityConditionsList
    {.kind = ShapeKind::kStructure, .first_member = 184, .member_count = 2},  // 163 VisibilityConditions
    {.kind = ShapeKind::kString, .min = 1, .max = 128, .pattern = "([\\p{L}\\p{Z}\\p{N}_.:/=+\\-@]*)"},  // 164 VisibilityConditionsKey
    {.kind = ShapeKind::kString, .min = 0, .max = 256, .pattern = "([\\p{L}\\p{Z}\\p{N}_.:/=+\\-@]*)"},  // 165 VisibilityConditionsValue
    {.kind = ShapeKind::kStructure, .first_member = 186, .member_count = 1},  // 166 StopTrainingJobRequest
    {.kind = ShapeKind::kStructure, .first_member = 187, .member_count = 5},  // 167 UpdateTrainingJobRequest
    {.kind = ShapeKind::kStructure, .first_member = 192, .member_count = 4},  // 168 ProfilerConfigForUpdate
    {.kind = ShapeKind::kStructure, .first_member = 196, .member_count = 1},  // 169 ResourceConfigForUpdate
    {.kind = ShapeKind::kStructure, .first_member = 197, .member_count = 1},  // 170 RemoteDebugConfigForUpdate
};
constexpr Table kTable{kOperations, kInputs, kMembers, kWords, kShapes};

}  // namespace

const Table& sagemaker_table() { return kTable; }

}  // namespace evener::service_model
