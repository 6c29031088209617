#include "base/log.h"
#include "evener/commands.h"
#include "evener/job_view.h"
#include "evener/local_jobs.h"
#include "evener/object_stores.h"
#include "training/backends/local/job_folder/job_folder.h"

namespace evener::app {
namespace {

Result<backends::UploadedResults> upload(const OpenedHome& opened, const jobs::TrainingJob& job,
                                         const Clock& clock) {
  // The environment of whoever uploads now counts before what the home knows.
  RETURN_IF_ERROR(keep_object_access(opened.home, job.spec, *opened.files));
  const auto folder = backends::job_folder(opened.home.root, job.spec.name);
  ObjectStores objects;
  storage::StoreSet stores;
  stores.add("file", storage::make_file_store(*opened.files));
  const auto complain = [](const std::string& why) {
    if (!why.empty()) log_line(LogLevel::kWarning, "upload", "trying again", {{"why", why}});
  };
  stores.add("s3", objects.make([&] { return find_object_access(folder.root, *opened.files); },
                                {.job_folder = folder.root, .trouble = complain, .stop = {}}));
  auto uploaded = backends::upload_kept({.spec = job.spec, .job_folder = folder.root}, stores,
                                        *opened.files, clock);
  (void)opened.files->remove_file(folder.storage_access());
  return uploaded;
}

Status commit_results(store::Store& store, const jobs::TrainingJob& job,
                      const backends::UploadedResults& results, WallTime now) {
  std::vector<jobs::JobEvent> events;
  events.push_back({.job = job.spec.name, .time = now,
                    .change = jobs::ArtifactsStored{.artifacts = results.report}});
  for (const std::string& notice : results.notices)
    events.push_back({.job = job.spec.name, .time = now, .change = jobs::Noticed{notice}});
  auto committed = store.commit(events);
  if (!committed) return tl::unexpected(committed.error());
  for (auto& status : *committed)
    if (!status) return std::move(status);
  return ok();
}

}  // namespace

int run_jobs_upload(const JobOptions& options) {
  const SystemClock clock;
  auto opened = open_home_jobs(options.shared, clock);
  if (!opened) return report_error(opened.error(), kExitFailed);
  auto job = opened->store->find(options.name);
  if (!job) return report_error(job.error(), kExitUsage);
  if (!job->ended())
    return report_error({ErrorCode::kInvalidArgument,
                         "job " + job->spec.name + " has not ended; it stores its results itself"},
                        kExitUsage);
  auto uploaded = upload(*opened, *job, clock);
  if (!uploaded)
    return report_error(uploaded.error(),
                        uploaded.error().code == ErrorCode::kNotFound ? kExitUsage : kExitFailed);
  if (auto told = commit_results(*opened->store, *job, *uploaded, clock.wall_now()); !told)
    return report_error(told.error(), kExitFailed);
  std::string text;
  for (const std::string& uri : {uploaded->report.model_uri, uploaded->report.output_uri})
    if (!uri.empty()) text += uri + "\n";
  print(text);
  return kExitDone;
}

}  // namespace evener::app
