#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "evener/job_view.h"

namespace evener::app {
namespace {

using nlohmann::json;

std::string text_of(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

json base(std::string_view event, const std::string& job, WallTime time) {
  return {{"event", event}, {"job", job}, {"time", to_millis(time)}};
}

struct Describe {
  json& out;
  const jobs::TrainingJob& job;

  void operator()(const jobs::Submitted& change) const {
    out["event"] = "submitted";
    out["arn"] = change.arn;
    json groups = json::array();
    for (const auto& group : change.spec.groups)
      groups.push_back({{"name", group.name}, {"type", group.instance_type},
                        {"count", group.count}, {"auxiliary", group.auxiliary}});
    out["groups"] = groups;
  }
  void operator()(const jobs::PendingReasonChanged& change) const {
    out["event"] = "pending";
    out["reason"] = change.reason;
  }
  void operator()(const jobs::Launching& change) const {
    status("Starting");
    json instances = json::array();
    for (const auto& instance : change.instances)
      instances.push_back(
          {{"host", instance.host},
           {"group", jobs::group_of(job.spec, instance).name}});
    out["instances"] = instances;
  }
  void operator()(const jobs::StatusMessageChanged& change) const {
    out["event"] = "message";
    out["message"] = change.message;
  }
  void operator()(const jobs::StagingStarted&) const { status("Downloading"); }
  void operator()(const jobs::ChannelsStaged& change) const {
    out["event"] = "staged";
    json channels = json::array();
    for (const auto& channel : change.channels) {
      json hosts = json::array();
      for (const auto& host : channel.hosts)
        hosts.push_back({{"host", host.host}, {"objects", host.objects}, {"bytes", host.bytes}});
      channels.push_back({{"channel", channel.channel}, {"objects", channel.objects},
                          {"bytes", channel.bytes}, {"bytes_copied", channel.bytes_copied},
                          {"hosts", hosts}});
    }
    out["channels"] = channels;
  }
  void operator()(const jobs::TrainingStarted&) const { status("Training"); }
  void operator()(const jobs::InstanceExited& change) const {
    out["event"] = "exit";
    out["host"] = change.host;
    out["group"] = jobs::group_of(job, change.host).name;
    out["exit_code"] = change.exit.exit_code;
    out["signal"] = change.exit.signal;
    out["out_of_memory"] = change.exit.out_of_memory;
    out["stopped"] = change.exit.stopped_by_us;
    if (!change.exit.start_error.empty()) out["start_error"] = change.exit.start_error;
  }
  void operator()(const jobs::StopRequested& change) const {
    status("Stopping");
    out["at_once"] = change.at_once;
  }
  void operator()(const jobs::UploadingStarted&) const { status("Uploading"); }
  void operator()(const jobs::ArtifactsStored& change) const {
    out["event"] = "artifacts";
    out["model"] = change.artifacts.model_uri;
    out["output"] = change.artifacts.output_uri;
    out["clashes"] = change.artifacts.clashes.size();
  }
  void operator()(const jobs::UsageReported& change) const {
    out["event"] = "usage";
    json hosts = json::array();
    for (const auto& usage : change.instances)
      hosts.push_back({{"host", usage.host}, {"cpu_percent_mean", usage.cpu_percent_mean},
                       {"cpu_percent_max", usage.cpu_percent_max},
                       {"memory_peak_bytes", usage.memory_peak_bytes}});
    out["hosts"] = hosts;
  }
  void operator()(const jobs::Noticed& change) const {
    out["event"] = "notice";
    out["notice"] = change.notice;
  }
  void operator()(const jobs::Ended& change) const {
    status(to_string(change.secondary));
    if (!change.failure_reason.empty()) out["failure_reason"] = change.failure_reason;
  }
  void operator()(const jobs::Deleted&) const { out["event"] = "deleted"; }
  void operator()(const jobs::MetricsReported& change) const {
    out["event"] = "metrics";
    json values = json::object();
    for (const auto& metric : change.metrics) values[metric.name] = metric.value;
    out["metrics"] = values;
  }
  void operator()(const jobs::TagsChanged& change) const {
    out["event"] = "tags";
    out["set"] = change.set;
    out["removed"] = change.removed;
  }
  void operator()(const jobs::Updated&) const { out["event"] = "updated"; }

 private:
  void status(std::string_view secondary) const {
    out["event"] = "status";
    out["status"] = secondary;
  }
};

}  // namespace

std::string event_json(const jobs::JobEvent& event, const jobs::TrainingJob& job) {
  json out = base("", event.job, event.time);
  std::visit(Describe{out, job}, event.change);
  return text_of(out);
}

std::string line_json(const HostLine& line, const std::string& job) {
  json out = base("log", job, line.line.time);
  out["host"] = line.host;
  out["group"] = line.group;
  out["text"] = valid_utf8(line.line.text);
  if (line.line.continued) out["continued"] = true;
  if (line.line.unterminated) out["unterminated"] = true;
  return text_of(out);
}

std::string live_json(const metrics::Sample& sample, const std::string& job) {
  json out = base("sample", job, sample.time);
  out["host"] = sample.host;
  out["cpu_percent"] = sample.cpu_percent;
  out["memory_bytes"] = sample.memory_bytes;
  return text_of(out);
}

std::string live_json(const metrics::Progress& progress, const std::string& job) {
  json out = base("progress", job, progress.time);
  out["phase"] = progress.phase;
  out["done_bytes"] = progress.done_bytes;
  out["total_bytes"] = progress.total_bytes;
  return text_of(out);
}

}  // namespace evener::app
