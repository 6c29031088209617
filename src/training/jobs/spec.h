// The values a training job is made of: what was asked for, and reports on parts of it. Part of
// jobs/jobs.h.
//
// Used by:  every module of training, by way of jobs/jobs.h.
// Threads:  values and pure functions.
// Fails:    ..._from() answers nothing for a word that it does not know.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace evener::jobs {

// What one instance of a type has. Resolved from the catalogue when the job is submitted.
struct InstanceShape {
  int vcpus = 1;
  double memory_gib = 1;
  std::string accelerator{};        // "" for none
  int accelerators = 0;
  bool known = false;               // false: the type is not in the catalogue
  bool operator==(const InstanceShape&) const = default;
};

struct InstanceGroup {
  std::string name;                 // "homogeneousCluster" where the request has no groups
  std::string instance_type;
  int count = 1;
  InstanceShape shape{};
  bool auxiliary = false;           // ends with the others (EVENER_AUXILIARY_GROUPS)
  bool operator==(const InstanceGroup&) const = default;
};

enum class InputMode { kFile, kFastFile, kPipe };
enum class DataType { kS3Prefix, kManifestFile, kAugmentedManifestFile };
enum class Distribution { kFullyReplicated, kShardedByS3Key };
enum class Compression { kNone, kGzip };

// The words of SageMaker's API: "FastFile", "ManifestFile", "ShardedByS3Key", "Gzip", ...
std::string_view to_string(InputMode mode);
std::string_view to_string(DataType type);
std::string_view to_string(Distribution distribution);
std::string_view to_string(Compression compression);
std::optional<InputMode> input_mode_from(std::string_view text);
std::optional<DataType> data_type_from(std::string_view text);
std::optional<Distribution> distribution_from(std::string_view text);
std::optional<Compression> compression_from(std::string_view text);

struct Channel {
  std::string name;
  std::string uri{};                // file:// or s3://; plain paths are made file:// by the caller
  DataType data_type = DataType::kS3Prefix;
  Distribution distribution = Distribution::kFullyReplicated;
  std::vector<std::string> groups{};  // empty: every group
  std::string content_type{};
  Compression compression = Compression::kNone;
  bool record_io = false;           // RecordWrapperType; the contract's files tell it on
  InputMode input_mode = InputMode::kFile;
  std::optional<std::int64_t> shuffle_seed{};
  std::vector<std::string> attribute_names{};
  bool operator==(const Channel&) const = default;
};

struct MetricDefinition {
  std::string name;
  std::string regex{};
  bool operator==(const MetricDefinition&) const = default;
};

// How instance types map onto the machine: by weight, refused where they do not fit, or at a scale.
enum class Fit { kShare, kStrict, kScaled };
std::string_view to_string(Fit fit);               // "share", "strict", "scaled"
std::optional<Fit> fit_from(std::string_view text);

// What keeps instances apart: namespaces, or nothing but addresses and folders of their own.
enum class Isolation { kNamespaces, kPlain };
std::string_view to_string(Isolation isolation);   // "namespaces", "plain"
std::optional<Isolation> isolation_from(std::string_view text);

struct JobSpec {
  std::string name;
  std::map<std::string, std::string> hyperparameters{};
  std::string training_image{};
  std::vector<std::string> entrypoint{};    // ContainerEntrypoint
  std::vector<std::string> arguments{};     // ContainerArguments
  std::vector<MetricDefinition> metric_definitions{};
  std::string role_arn{};                   // as Describe shows it; no rights are asked for
  std::vector<Channel> channels{};
  std::string output_uri{};                 // file:// or s3://
  bool compress_output = true;              // OutputDataConfig.CompressionType GZIP
  std::vector<InstanceGroup> groups{};      // at least one, in the order of the request
  bool heterogeneous = false;               // the request used InstanceGroups
  std::chrono::seconds max_runtime{86400};
  std::chrono::seconds stop_grace{120};
  std::map<std::string, std::string> environment{};
  std::map<std::string, std::string> tags{};  // what ListTags and Search tell; they change later
  bool network_isolation = false;
  std::string checkpoint_uri{};             // "" without CheckpointConfig; shown, not copied to yet
  std::string checkpoint_path = "/opt/ml/checkpoints";
  Fit fit = Fit::kShare;
  double fit_scale = 1.0;                   // CPUs per vCPU under Fit::kScaled
  std::optional<Isolation> isolation{};     // none: the best of the machine that runs the job
  std::optional<std::uint64_t> shuffle_hosts_seed{};  // test switch: deal hosts to groups at random
  std::string request_json{};               // the body of CreateTrainingJob as accepted
  bool operator==(const JobSpec&) const = default;
};

// Where the job's results go: "<output_uri>/<name>/<tail>".
std::string result_uri(const JobSpec& spec, std::string_view tail);
// Of its model (output/model.tar.gz) and of its other output, packed or not as the request has it.
std::string model_uri(const JobSpec& spec);
std::string output_data_uri(const JobSpec& spec);

// One host of one job.
struct InstancePlacement {
  std::string host;                 // "algo-1"
  int group = 0;                    // index into JobSpec::groups
  bool operator==(const InstancePlacement&) const = default;
};

// Hosts in natural order; group order follows the request, or is dealt at random by
// shuffle_hosts_seed.
std::vector<InstancePlacement> place_instances(const JobSpec& spec);

struct InstanceExit {
  int exit_code = 0;                // 128 + signal when a signal ended it
  int signal = 0;
  bool out_of_memory = false;       // its memory limit was hit and the kernel killed in it
  bool stopped_by_us = false;       // after we sent SIGTERM or SIGKILL
  std::string failure_text{};       // /opt/ml/output/failure, at most 1024 bytes, valid UTF-8
  std::string start_error{};        // why the program could not be started at all
  WallTime time{};
  bool operator==(const InstanceExit&) const = default;
};

struct Instance {
  InstancePlacement placement;
  std::optional<InstanceExit> exit{};
  bool operator==(const Instance&) const = default;
};

struct HostShard {
  std::string host;
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;
  bool operator==(const HostShard&) const = default;
};

struct ChannelReport {
  std::string channel;
  std::uint64_t objects = 0;        // matched by the URI
  std::uint64_t bytes = 0;
  std::uint64_t bytes_copied = 0;   // 0 where the input is shown without copying
  std::vector<HostShard> hosts{};   // the hosts that receive the channel
  bool operator==(const ChannelReport&) const = default;
};

struct PathClash {                  // same path on several hosts, different content
  std::string path;
  std::string kept;                 // host whose content was kept: the lowest algo-N
  std::vector<std::string> dropped{};
  bool operator==(const PathClash&) const = default;
};

struct ArtifactReport {
  std::string model_uri{};          // "" where every host's model folder was empty
  std::string output_uri{};
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;
  std::vector<PathClash> clashes{};
  bool operator==(const ArtifactReport&) const = default;
};

struct InstanceUsage {
  std::string host;
  double cpu_percent_mean = 0;      // 100 per vCPU, over the training phase
  double cpu_percent_max = 0;       // highest one-second sample
  double visible_cpus = 0;          // CPUs the program could use at most
  std::uint64_t memory_peak_bytes = 0;
  std::optional<double> input_wait_fraction{};  // reported by the program, 0..1 of its step time
  bool operator==(const InstanceUsage&) const = default;
};

struct MetricValue {                // one point of a metric of the job's own
  std::string name;
  double value = 0;
  WallTime time{};
  bool operator==(const MetricValue&) const = default;
};

}  // namespace evener::jobs
