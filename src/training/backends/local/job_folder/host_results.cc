#include "training/backends/local/job_folder/host_results.h"

#include "training/backends/local/job_folder/host_files.h"

namespace evener::backends {
namespace {

bool holds_anything(os::FileSystem& files, const std::filesystem::path& folder) {
  auto entries = files.list(folder);
  return entries && !entries->empty();
}

}  // namespace

std::filesystem::path below(std::filesystem::path folder, const MlFolder& parts) {
  for (const std::string& part : parts) folder /= part;
  return folder;
}

Result<std::filesystem::path> keep_results(os::FileSystem& files,
                                           const std::vector<HostResults>& hosts,
                                           const std::filesystem::path& folder) {
  bool kept = false;
  for (const HostResults& host : hosts) {
    for (const auto& relative : {kModelFolder, kOutputFolder}) {
      const std::filesystem::path source = below(host.ml_folder, relative);
      if (!is_plain_folder(host.ml_folder, relative) || !holds_anything(files, source)) continue;
      const std::filesystem::path target = below(folder / host.host, relative);
      RETURN_IF_ERROR(os::make_parent_directories(files, target));
      RETURN_IF_ERROR(files.rename(source, target));
      kept = true;
    }
  }
  return kept ? folder : std::filesystem::path();
}

}  // namespace evener::backends
