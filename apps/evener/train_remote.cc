#include "evener/train_remote.h"

#include <cstdlib>

#include "evener/commands.h"
#include "evener/job_view.h"
#include "evener/remote_inputs.h"
#include "evener/remote_jobs.h"
#include "evener/submission.h"
#include "evener/train_view.h"

namespace evener::app {
namespace {

using document::Value;

// What --fit says travels as the switch that requests have for it.
Status set_fit_of(const std::string& fit, Value& request) {
  if (fit.empty()) return ok();
  jobs::JobSpec scratch;
  RETURN_IF_ERROR(set_fit(fit, scratch));
  Value environment = document::make_object();
  if (const Value* given = request.find("Environment")) environment = *given;
  environment.set("EVENER_FIT", document::make_string(fit));
  request.set("Environment", std::move(environment));
  return ok();
}

// EVENER_ISOLATION is meant for jobs of this machine; the flag beside --server is a mistake.
Status check_isolation(const TrainOptions& options) {
  const char* inherited = std::getenv("EVENER_ISOLATION");
  if (options.isolation.empty() || (inherited != nullptr && options.isolation == inherited)) return ok();
  return failure(ErrorCode::kInvalidArgument,
                 "--isolation has no meaning with a server: evener serve --isolation decides");
}

struct Prepared {
  std::string name;
  Value request;
};
Result<Prepared> prepare(const ServerConnection& server, const TrainOptions& options,
                         os::FileSystem& files) {
  RETURN_IF_ERROR(check_isolation(options));
  auto text = request_text(options, server.facts.output, files, server.clock->wall_now());
  if (!text) return tl::unexpected(text.error());
  auto parsed = api::parse_create_training_job(*text, request_folder(options));
  if (!parsed) return tl::unexpected(parsed.error());
  auto request = document::read(parsed->spec.request_json);
  if (!request) return tl::unexpected(request.error());
  RETURN_IF_ERROR(set_fit_of(options.fit, *request));
  RETURN_IF_ERROR(bring_inputs(server, parsed->spec, files, *request));
  return Prepared{parsed->spec.name, std::move(*request)};
}

// Whether the job of that name on the server came from this very request.
bool is_ours(JobSource& jobs, const Prepared& job) {
  const auto found = jobs.find(job.name);
  return found && found->spec.request_json == document::write(job.request);
}

Status create(const ServerConnection& server, const Prepared& job, JobSource& jobs) {
  const auto answered = server.client(Patience::kView)
                            .ask(wire::Service::kSageMaker, "CreateTrainingJob", job.request);
  if (answered.result) return ok();
  const Error& error = answered.result.error();
  if (error.code != ErrorCode::kAlreadyExists) return tl::unexpected(error);
  if (answered.repeated && is_ours(jobs, job)) return ok();   // the first answer was lost
  return failure(error.code, "a job " + job.name + " exists already; choose another name or delete that job");
}

}  // namespace

int run_train_on(const std::string& url, const TrainOptions& options) {
  const SystemClock clock;
  auto interrupts = Interrupts::make();
  if (!interrupts) return report_error(interrupts.error(), kExitFailed);
  const auto server = connect(url, options.shared, clock);
  if (!server) return report_error(server.error(), kExitUsage);
  const auto files = os::make_real_file_system();
  const auto job = prepare(*server, options, *files);
  if (!job) return report_error(job.error(), kExitUsage);
  const auto jobs = make_remote_jobs(*server, Patience::kView);
  if (auto created = create(*server, *job, *jobs); !created)
    return report_error(created.error(), kExitUsage);
  if (options.waiting == Waiting::kDetach) {
    print(job->name + "\n");
    return kExitDone;
  }
  return follow_to_the_end(job->name, {.options = options.shared,
                                       .source = *jobs,
                                       .stopper = make_remote_jobs(*server, Patience::kSignal),
                                       .interrupts = *interrupts,
                                       .clock = clock});
}

}  // namespace evener::app
