#include <string_view>

#include "training/api/api.h"
#include "base/document.h"
#include "training/api/request_uris.h"

namespace evener::api {

namespace {

void set_default(document::Value& owner, std::string_view name, document::Value value) {
  if (owner.find(name) == nullptr) owner.set(name, std::move(value));
}

// What the service adds to the members that it echoes.
void add_defaults(document::Value& echo, const jobs::JobSpec& spec) {
  if (document::Value* algorithm = echo.find("AlgorithmSpecification"))
    set_default(*algorithm, "EnableSageMakerMetricsTimeSeries", document::make_boolean(false));
  if (document::Value* channels = echo.find("InputDataConfig")) {
    for (document::Value& channel : channels->items) {
      set_default(channel, "CompressionType", document::make_string("None"));
      set_default(channel, "RecordWrapperType", document::make_string("None"));
      document::Value* source = channel.find("DataSource");
      document::Value* s3 = source != nullptr ? source->find("S3DataSource") : nullptr;
      if (s3 != nullptr) set_default(*s3, "S3DataDistributionType", document::make_string("FullyReplicated"));
    }
  }
  set_default(echo, "OutputDataConfig", document::make_object());
  document::Value& output = *echo.find("OutputDataConfig");
  set_default(output, "S3OutputPath", document::make_string(spec.output_uri));
  set_default(output, "KmsKeyId", document::make_string(""));  // clients read it without looking
  set_default(output, "CompressionType", document::make_string(spec.compress_output ? "GZIP" : "NONE"));
  set_default(echo, "StoppingCondition", document::make_object());
  set_default(*echo.find("StoppingCondition"), "MaxRuntimeInSeconds",
              document::make_integer(spec.max_runtime.count()));
  for (const std::string_view name : {"EnableNetworkIsolation", "EnableManagedSpotTraining",
                                      "EnableInterContainerTrafficEncryption"})
    set_default(echo, name, document::make_boolean(false));
}

// The request without what Describe does not show.
document::Value echo_of(const jobs::JobSpec& spec) {
  document::Value echo = document::make_object();
  const Result<document::Value> request = document::read(spec.request_json);
  if (request && request->kind == document::Kind::kObject)
    for (const document::Member& member : request->members)
      if (member.name != "Tags" && member.name != "SessionChainingConfig")
        echo.members.push_back(member);
  add_defaults(echo, spec);
  return echo;
}

document::Value time_of(WallTime time) { return document::make_seconds(to_millis(time)); }

document::Value transitions_of(const jobs::TrainingJob& job) {
  document::Value list = document::make_list({});
  for (const jobs::Transition& transition : job.transitions) {
    document::Value item = document::make_object();
    item.set("Status", document::make_string(jobs::to_string(transition.status)));
    item.set("StartTime", time_of(transition.start));
    if (transition.end) item.set("EndTime", time_of(*transition.end));
    item.set("StatusMessage", document::make_string(transition.message));
    list.items.push_back(std::move(item));
  }
  return list;
}

document::Value metrics_of(const jobs::TrainingJob& job) {
  document::Value list = document::make_list({});
  for (const jobs::MetricValue& metric : job.final_metrics) {
    document::Value item = document::make_object();
    item.set("MetricName", document::make_string(metric.name));
    item.set("Value", document::make_number(metric.value));
    item.set("Timestamp", time_of(metric.time));
    list.items.push_back(std::move(item));
  }
  return list;
}

void set_times(document::Value& body, const jobs::TrainingJob& job) {
  body.set("CreationTime", time_of(job.created));
  if (job.training_start) body.set("TrainingStartTime", time_of(*job.training_start));
  if (job.training_end) body.set("TrainingEndTime", time_of(*job.training_end));
  body.set("LastModifiedTime", time_of(job.last_modified));
}

void set_durations(document::Value& body, const jobs::TrainingJob& job) {
  // Whole seconds, begun ones too: what trained and ended has some.
  const std::optional<std::int64_t> seconds = jobs::billable_seconds(job);
  if (!seconds) return;
  body.set("TrainingTimeInSeconds", document::make_integer(*seconds));
  body.set("BillableTimeInSeconds", document::make_integer(*seconds));
}

}  // namespace

document::Value description_of(const jobs::TrainingJob& job) {
  document::Value body = echo_of(job.spec);
  body.set("TrainingJobName", document::make_string(job.spec.name));
  body.set("TrainingJobArn", document::make_string(job.arn));
  document::Value artifacts = document::make_object();
  artifacts.set("S3ModelArtifacts", document::make_string(jobs::model_uri(job.spec)));
  body.set("ModelArtifacts", std::move(artifacts));
  body.set("TrainingJobStatus", document::make_string(jobs::to_string(job.status)));
  body.set("SecondaryStatus", document::make_string(jobs::to_string(job.secondary)));
  if (!job.failure_reason.empty()) body.set("FailureReason", document::make_string(job.failure_reason));
  set_times(body, job);
  body.set("SecondaryStatusTransitions", transitions_of(job));
  if (!job.final_metrics.empty()) body.set("FinalMetricDataList", metrics_of(job));
  set_durations(body, job);
  body.set("ProfilingStatus", document::make_string("Disabled"));
  return body;
}

std::string describe_training_job(const jobs::TrainingJob& job) {
  return document::write(description_of(job));
}

document::Value summary_document(const jobs::JobSummary& summary) {
  document::Value body = document::make_object();
  body.set("TrainingJobName", document::make_string(summary.name));
  body.set("TrainingJobArn", document::make_string(summary.arn));
  body.set("CreationTime", time_of(summary.created));
  if (summary.training_end) body.set("TrainingEndTime", time_of(*summary.training_end));
  body.set("LastModifiedTime", time_of(summary.last_modified));
  body.set("TrainingJobStatus", document::make_string(jobs::to_string(summary.status)));
  body.set("SecondaryStatus", document::make_string(jobs::to_string(summary.secondary)));
  return body;
}

std::string summarize_training_job(const jobs::TrainingJob& job) {
  return document::write(summary_document(jobs::summary_of(job)));
}

}  // namespace evener::api
