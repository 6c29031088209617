// The members of each stored value and their stable names, once for both directions. An archive
// is called with (name, member) for each; a reader leaves a member as it is where the text lacks
// it.
//
// Used by:  jobs_json.cc.
// Threads:  pure functions.
// Fails:    never; the archive keeps what was wrong with a text.
#pragma once

#include "training/jobs/jobs.h"

namespace evener::jobs {

template <class Archive>
void fields(Archive& a, InstanceShape& v) {
  a("vcpus", v.vcpus);
  a("memory_gib", v.memory_gib);
  a("accelerator", v.accelerator);
  a("accelerators", v.accelerators);
  a("known", v.known);
}

template <class Archive>
void fields(Archive& a, InstanceGroup& v) {
  a("name", v.name);
  a("instance_type", v.instance_type);
  a("count", v.count);
  a("shape", v.shape);
  a("auxiliary", v.auxiliary);
}

template <class Archive>
void fields(Archive& a, Channel& v) {
  a("name", v.name);
  a("uri", v.uri);
  a("data_type", v.data_type);
  a("distribution", v.distribution);
  a("groups", v.groups);
  a("content_type", v.content_type);
  a("compression", v.compression);
  a("record_io", v.record_io);
  a("input_mode", v.input_mode);
  a("shuffle_seed", v.shuffle_seed);
  a("attribute_names", v.attribute_names);
}

template <class Archive>
void fields(Archive& a, MetricDefinition& v) {
  a("name", v.name);
  a("regex", v.regex);
}

template <class Archive>
void fields(Archive& a, JobSpec& v) {
  a("name", v.name);
  a("hyperparameters", v.hyperparameters);
  a("training_image", v.training_image);
  a("entrypoint", v.entrypoint);
  a("arguments", v.arguments);
  a("metric_definitions", v.metric_definitions);
  a("role_arn", v.role_arn);
  a("channels", v.channels);
  a("output_uri", v.output_uri);
  a("compress_output", v.compress_output);
  a("groups", v.groups);
  a("heterogeneous", v.heterogeneous);
  a("max_runtime_s", v.max_runtime);
  a("stop_grace_s", v.stop_grace);
  a("environment", v.environment);
  a("tags", v.tags);
  a("network_isolation", v.network_isolation);
  a("checkpoint_uri", v.checkpoint_uri);
  a("checkpoint_path", v.checkpoint_path);
  a("fit", v.fit);
  a("fit_scale", v.fit_scale);
  a("isolation", v.isolation);
  a("shuffle_hosts_seed", v.shuffle_hosts_seed);
  a("request_json", v.request_json);
}

template <class Archive>
void fields(Archive& a, InstancePlacement& v) {
  a("host", v.host);
  a("group", v.group);
}

template <class Archive>
void fields(Archive& a, InstanceExit& v) {
  a("exit_code", v.exit_code);
  a("signal", v.signal);
  a("out_of_memory", v.out_of_memory);
  a("stopped_by_us", v.stopped_by_us);
  a("failure_text", v.failure_text);
  a("start_error", v.start_error);
  a("time_ms", v.time);
}

template <class Archive>
void fields(Archive& a, Instance& v) {
  a("placement", v.placement);
  a("exit", v.exit);
}

template <class Archive>
void fields(Archive& a, HostShard& v) {
  a("host", v.host);
  a("objects", v.objects);
  a("bytes", v.bytes);
}

template <class Archive>
void fields(Archive& a, ChannelReport& v) {
  a("channel", v.channel);
  a("objects", v.objects);
  a("bytes", v.bytes);
  a("bytes_copied", v.bytes_copied);
  a("hosts", v.hosts);
}

template <class Archive>
void fields(Archive& a, PathClash& v) {
  a("path", v.path);
  a("kept", v.kept);
  a("dropped", v.dropped);
}

template <class Archive>
void fields(Archive& a, ArtifactReport& v) {
  a("model_uri", v.model_uri);
  a("output_uri", v.output_uri);
  a("bytes_read", v.bytes_read);
  a("bytes_written", v.bytes_written);
  a("clashes", v.clashes);
}

template <class Archive>
void fields(Archive& a, InstanceUsage& v) {
  a("host", v.host);
  a("cpu_percent_mean", v.cpu_percent_mean);
  a("cpu_percent_max", v.cpu_percent_max);
  a("visible_cpus", v.visible_cpus);
  a("memory_peak_bytes", v.memory_peak_bytes);
  a("input_wait_fraction", v.input_wait_fraction);
}

template <class Archive>
void fields(Archive& a, MetricValue& v) {
  a("name", v.name);
  a("value", v.value);
  a("time_ms", v.time);
}

// ---- events ------------------------------------------------------------------------------

template <class Archive>
void fields(Archive& a, Submitted& v) {
  a("spec", v.spec);
  a("arn", v.arn);
}
template <class Archive>
void fields(Archive& a, PendingReasonChanged& v) {
  a("reason", v.reason);
}
template <class Archive>
void fields(Archive& a, Launching& v) {
  a("instances", v.instances);
}
template <class Archive>
void fields(Archive& a, StatusMessageChanged& v) {
  a("message", v.message);
}
template <class Archive>
void fields(Archive&, StagingStarted&) {}
template <class Archive>
void fields(Archive& a, ChannelsStaged& v) {
  a("channels", v.channels);
}
template <class Archive>
void fields(Archive&, TrainingStarted&) {}
template <class Archive>
void fields(Archive& a, InstanceExited& v) {
  a("host", v.host);
  a("exit", v.exit);
}
template <class Archive>
void fields(Archive& a, StopRequested& v) {
  a("cause", v.cause);
  a("at_once", v.at_once);
}
template <class Archive>
void fields(Archive&, UploadingStarted&) {}
template <class Archive>
void fields(Archive& a, ArtifactsStored& v) {
  a("artifacts", v.artifacts);
}
template <class Archive>
void fields(Archive& a, UsageReported& v) {
  a("instances", v.instances);
}
template <class Archive>
void fields(Archive& a, Noticed& v) {
  a("notice", v.notice);
}
template <class Archive>
void fields(Archive& a, Ended& v) {
  a("status", v.status);
  a("secondary", v.secondary);
  a("failure_reason", v.failure_reason);
}
template <class Archive>
void fields(Archive&, Deleted&) {}
template <class Archive>
void fields(Archive& a, MetricsReported& v) {
  a("metrics", v.metrics);
}
template <class Archive>
void fields(Archive& a, TagsChanged& v) {
  a("set", v.set);
  a("removed", v.removed);
}
template <class Archive>
void fields(Archive& a, Updated& v) {
  a("members_json", v.members_json);
}

// ---- the job -----------------------------------------------------------------------------

template <class Archive>
void fields(Archive& a, Transition& v) {
  a("status", v.status);
  a("start_ms", v.start);
  a("end_ms", v.end);
  a("message", v.message);
}

template <class Archive>
void fields(Archive& a, TrainingJob& v) {
  a("spec", v.spec);
  a("arn", v.arn);
  a("status", v.status);
  a("secondary", v.secondary);
  a("transitions", v.transitions);
  a("created_ms", v.created);
  a("last_modified_ms", v.last_modified);
  a("launched_ms", v.launched);
  a("training_start_ms", v.training_start);
  a("training_end_ms", v.training_end);
  a("pending_reason", v.pending_reason);
  a("failure_reason", v.failure_reason);
  a("stop", v.stop);
  a("instances", v.instances);
  a("channels", v.channels);
  a("artifacts", v.artifacts);
  a("usage", v.usage);
  a("final_metrics", v.final_metrics);
  a("notices", v.notices);
  a("imported_position", v.imported_position);
  a("deleted", v.deleted);
}

}  // namespace evener::jobs
