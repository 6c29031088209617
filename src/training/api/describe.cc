#include <string_view>

#include "training/api/api.h"
#include "training/api/document.h"
#include "training/api/request_uris.h"

namespace evener::api {

namespace {

void set_default(Value& owner, std::string_view name, Value value) {
  if (owner.find(name) == nullptr) owner.set(name, std::move(value));
}

// What the service adds to the members that it echoes.
void add_defaults(Value& echo, const jobs::JobSpec& spec) {
  if (Value* algorithm = echo.find("AlgorithmSpecification"))
    set_default(*algorithm, "EnableSageMakerMetricsTimeSeries", make_boolean(false));
  if (Value* channels = echo.find("InputDataConfig")) {
    for (Value& channel : channels->items) {
      set_default(channel, "CompressionType", make_string("None"));
      set_default(channel, "RecordWrapperType", make_string("None"));
      Value* source = channel.find("DataSource");
      Value* s3 = source != nullptr ? source->find("S3DataSource") : nullptr;
      if (s3 != nullptr) set_default(*s3, "S3DataDistributionType", make_string("FullyReplicated"));
    }
  }
  set_default(echo, "OutputDataConfig", make_object());
  Value& output = *echo.find("OutputDataConfig");
  set_default(output, "S3OutputPath", make_string(spec.output_uri));
  set_default(output, "KmsKeyId", make_string(""));  // clients read it without looking
  set_default(output, "CompressionType", make_string(spec.compress_output ? "GZIP" : "NONE"));
  set_default(echo, "StoppingCondition", make_object());
  set_default(*echo.find("StoppingCondition"), "MaxRuntimeInSeconds",
              make_integer(spec.max_runtime.count()));
  for (const std::string_view name : {"EnableNetworkIsolation", "EnableManagedSpotTraining",
                                      "EnableInterContainerTrafficEncryption"})
    set_default(echo, name, make_boolean(false));
}

// The request without what Describe does not show.
Value echo_of(const jobs::JobSpec& spec) {
  Value echo = make_object();
  const Result<Value> request = read_document(spec.request_json);
  if (request && request->kind == Kind::kObject)
    for (const Member& member : request->members)
      if (member.name != "Tags" && member.name != "SessionChainingConfig")
        echo.members.push_back(member);
  add_defaults(echo, spec);
  return echo;
}

Value time_of(WallTime time) { return make_seconds(to_millis(time)); }

Value transitions_of(const jobs::TrainingJob& job) {
  Value list = make_list({});
  for (const jobs::Transition& transition : job.transitions) {
    Value item = make_object();
    item.set("Status", make_string(jobs::to_string(transition.status)));
    item.set("StartTime", time_of(transition.start));
    if (transition.end) item.set("EndTime", time_of(*transition.end));
    item.set("StatusMessage", make_string(transition.message));
    list.items.push_back(std::move(item));
  }
  return list;
}

void set_times(Value& body, const jobs::TrainingJob& job) {
  body.set("CreationTime", time_of(job.created));
  if (job.training_start) body.set("TrainingStartTime", time_of(*job.training_start));
  if (job.training_end) body.set("TrainingEndTime", time_of(*job.training_end));
  body.set("LastModifiedTime", time_of(job.last_modified));
}

void set_durations(Value& body, const jobs::TrainingJob& job) {
  if (job.training_start && job.training_end) {
    const std::int64_t seconds =
        (to_millis(*job.training_end) - to_millis(*job.training_start)) / 1000;
    if (seconds >= 1) body.set("TrainingTimeInSeconds", make_integer(seconds));
  }
  const std::optional<std::int64_t> billable = jobs::billable_seconds(job);
  if (billable && *billable >= 1) body.set("BillableTimeInSeconds", make_integer(*billable));
}

std::string model_uri(const jobs::JobSpec& spec) {
  return join_uri(spec.output_uri,
                  spec.name + (spec.compress_output ? "/output/model.tar.gz" : "/output/model"));
}

}  // namespace

std::string describe_training_job(const jobs::TrainingJob& job) {
  Value body = echo_of(job.spec);
  body.set("TrainingJobName", make_string(job.spec.name));
  body.set("TrainingJobArn", make_string(job.arn));
  Value artifacts = make_object();
  artifacts.set("S3ModelArtifacts", make_string(model_uri(job.spec)));
  body.set("ModelArtifacts", std::move(artifacts));
  body.set("TrainingJobStatus", make_string(jobs::to_string(job.status)));
  body.set("SecondaryStatus", make_string(jobs::to_string(job.secondary)));
  if (!job.failure_reason.empty()) body.set("FailureReason", make_string(job.failure_reason));
  set_times(body, job);
  body.set("SecondaryStatusTransitions", transitions_of(job));
  set_durations(body, job);
  body.set("ProfilingStatus", make_string("Disabled"));
  return write_document(body);
}

std::string summarize_training_job(const jobs::TrainingJob& job) {
  Value body = make_object();
  body.set("TrainingJobName", make_string(job.spec.name));
  body.set("TrainingJobArn", make_string(job.arn));
  body.set("CreationTime", time_of(job.created));
  if (job.training_end) body.set("TrainingEndTime", time_of(*job.training_end));
  body.set("LastModifiedTime", time_of(job.last_modified));
  body.set("TrainingJobStatus", make_string(jobs::to_string(job.status)));
  body.set("SecondaryStatus", make_string(jobs::to_string(job.secondary)));
  return write_document(body);
}

}  // namespace evener::api
