#include "evener/job_view.h"

#include <cstdio>

#include "base/byte_size.h"
#include "base/utf8.h"
#include "evener/commands.h"
#include "evener/machine.h"
#include "evener/text_table.h"

namespace evener::app {
namespace {

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};

std::string exit_text(const jobs::InstanceExited& exited) {
  const auto& exit = exited.exit;
  if (!exit.start_error.empty()) return exited.host + " could not start: " + exit.start_error;
  std::string text = exited.host + " ended with exit code " + std::to_string(exit.exit_code);
  if (exit.out_of_memory) text += " (out of memory)";
  if (exit.signal != 0 && !exit.out_of_memory)
    text += " (signal " + std::to_string(exit.signal) + (exit.stopped_by_us ? ", stopped)" : ")");
  return text;
}

std::string staged_text(const jobs::ChannelsStaged& staged) {
  std::string text = "channels staged:";
  for (const auto& channel : staged.channels)
    text += " " + channel.channel + " (" + std::to_string(channel.objects) + " objects, " +
            format_bytes(channel.bytes) + ", on " + std::to_string(channel.hosts.size()) +
            (channel.hosts.size() == 1 ? " host)" : " hosts)");
  return text;
}

// Prints status changes and log lines as they come; what a pipe or a file gets.
class PlainView final : public JobView {
 public:
  void show(const JobUpdate& update, const jobs::TrainingJob& job) override {
    std::string text;
    for (const auto& event : update.events) {
      const std::string line = event_text(event, job);
      if (!line.empty()) text += line + "\n";
    }
    for (const auto& line : update.lines) text += line_text(line) + "\n";
    print(text);
  }
  void finish(const JobSummary& summary) override {
    std::string text;
    for (const auto& line : summary_lines(summary)) text += line + "\n";
    print(text);
  }
};

class JsonView final : public JobView {
 public:
  void show(const JobUpdate& update, const jobs::TrainingJob& job) override {
    std::string text;
    for (const auto& event : update.events) text += event_json(event, job) + "\n";
    for (const auto& line : update.lines) text += line_json(line, job.spec.name) + "\n";
    for (const auto& sample : update.live.samples) text += live_json(sample, job.spec.name) + "\n";
    for (const auto& progress : update.live.progress)
      text += live_json(progress, job.spec.name) + "\n";
    print(text);
  }
  void finish(const JobSummary& summary) override { print(summary_json(summary) + "\n"); }
};

}  // namespace

void print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

int exit_code_with_output(int code) {
  // A reader that has left, or an output that was closed from the start, is no failure.
  if (std::ferror(stdout) == 0 || output_is_closed() || code != kExitDone) return code;
  return report_error({ErrorCode::kIo, "standard output took not all that was printed"}, kExitFailed);
}

std::string line_text(const HostLine& line) {
  return line.host + " (" + line.group + ") | " + printable(valid_utf8(line.line.text));
}

std::string event_text(const jobs::JobEvent& event, const jobs::TrainingJob& job) {
  return std::visit(
      Overloaded{
          [&](const jobs::Submitted& s) { return "job " + job.spec.name + " submitted: " + s.arn; },
          [](const jobs::PendingReasonChanged& p) {
            return p.reason.empty() ? std::string() : "pending: " + p.reason;
          },
          [](const jobs::Launching& l) {
            return "starting " + std::to_string(l.instances.size()) +
                   (l.instances.size() == 1 ? " instance" : " instances");
          },
          [](const jobs::StatusMessageChanged& m) { return m.message; },
          [](const jobs::StagingStarted&) { return std::string("downloading input data"); },
          [](const jobs::ChannelsStaged& s) { return staged_text(s); },
          [](const jobs::TrainingStarted&) { return std::string("training in progress"); },
          [](const jobs::InstanceExited& e) { return exit_text(e); },
          [](const jobs::StopRequested& s) {
            return std::string(s.at_once ? "stopping the job at once" : "stopping the job");
          },
          [](const jobs::UploadingStarted&) { return std::string("packing model and output"); },
          [](const jobs::ArtifactsStored&) { return std::string(); },
          [](const jobs::UsageReported&) { return std::string(); },
          [](const jobs::Noticed& n) { return "notice: " + n.notice; },
          [](const jobs::Ended&) { return std::string(); },
          [](const jobs::Deleted&) { return std::string("job deleted"); },
          [](const jobs::MetricsReported&) { return std::string(); },
          [](const jobs::TagsChanged&) { return std::string(); },
          [](const jobs::Updated&) { return std::string(); },
      },
      event.change);
}

std::unique_ptr<JobView> make_plain_view() { return std::make_unique<PlainView>(); }
std::unique_ptr<JobView> make_json_view() { return std::make_unique<JsonView>(); }

std::unique_ptr<JobView> make_job_view(OutputForm form, double machine_cpus, const Clock& clock) {
  if (form == OutputForm::kJson) return make_json_view();
  return is_terminal(STDOUT_FILENO) ? make_live_view(machine_cpus, clock) : make_plain_view();
}

}  // namespace evener::app
