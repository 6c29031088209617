#include "evener/job_source.h"

#include "base/near_miss.h"
#include "evener/local_jobs.h"
#include "evener/remote_jobs.h"

namespace evener::app {

Result<std::unique_ptr<JobSource>> open_jobs(const SharedOptions& options, const Clock& clock) {
  const std::string server = chosen_server(options);
  if (server.empty()) return open_local_jobs(options, clock);
  auto connected = connect(server, options, clock);
  if (!connected) return tl::unexpected(connected.error());
  return make_remote_jobs(*connected, Patience::kView);
}

Result<jobs::TrainingJob> find_job(JobSource& source, const std::string& name) {
  auto job = source.find(name);
  if (job || job.error().code != ErrorCode::kNotFound) return job;
  const auto known = source.names();
  if (!known) return job;
  Error error = job.error();
  error.message += did_you_mean(name, {known->begin(), known->end()}) +
                   "; `evener jobs list` shows what there is";
  return tl::unexpected(std::move(error));
}

}  // namespace evener::app
