#include "training/backends/local/supervisor/collect.h"
#include "training/backends/local/supervisor/supervisor.h"

namespace evener::backends {

Result<UploadedResults> upload_kept(const KeptResults& kept, const storage::StoreSet& stores,
                                    os::FileSystem& files, const Clock& clock) {
  const JobFolder folder{kept.job_folder};
  auto entries = files.list(folder.unsaved());
  if (!entries && entries.error().code != ErrorCode::kNotFound)
    return tl::unexpected<Error>(entries.error());
  std::vector<HostResults> hosts;
  if (entries) {
    for (const os::DirectoryEntry& entry : *entries)
      hosts.push_back({entry.name, folder.unsaved() / entry.name, "/opt/ml"});
  }
  if (hosts.empty()) {
    return failure(ErrorCode::kNotFound,
                   "nothing of job " + kept.spec.name + " waits to be uploaded");
  }
  SampleLog samples(nullptr);
  const CollectOrder order{.spec = kept.spec,
                           .hosts = hosts,
                           .files = files,
                           .stores = stores,
                           .clock = clock,
                           .samples = samples};
  auto stored = store_results(order, std::stop_token());
  if (!stored) return tl::unexpected<Error>(stored.error());
  RETURN_IF_ERROR(files.remove_tree(folder.unsaved()));
  return UploadedResults{.report = std::move(stored->report), .notices = std::move(stored->notices)};
}

}  // namespace evener::backends
