#include "training/backends/local/supervisor/host_programs.h"

#include <algorithm>

namespace evener::backends {
namespace {

namespace fs = std::filesystem;

bool lies_below(const fs::path& path, const fs::path& folder) {
  const auto [rest, unused] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return rest == folder.end() && path != folder;
}

bool is_hidden(const fs::path& folder) {
  return lies_below(folder, "/tmp") || lies_below(folder, "/var/tmp") || lies_below(folder, "/run");
}

bool may_be_shown(const fs::path& folder, const std::vector<std::string>& masked) {
  return is_hidden(folder) && std::ranges::none_of(masked, [&](const fs::path& path) {
    return path == folder || lies_below(path, folder) || lies_below(folder, path);
  });
}

std::vector<fs::path> program_folders(const Plan& plan) {
  std::vector<fs::path> folders;
  const auto path = plan.host_environment.find("PATH");
  const std::string text = path == plan.host_environment.end() ? "" : path->second;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    folders.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  // Evener itself, which serves data in a job's instances.
  if (const auto own = plan.host_environment.find("EVENER_BINARY");
      own != plan.host_environment.end()) {
    folders.push_back(fs::path(own->second).parent_path());
  }
  const auto& entrypoint = plan.job.spec.entrypoint;
  if (!entrypoint.empty()) folders.push_back(fs::path(entrypoint.front()).parent_path());
  return folders;
}

}  // namespace

std::vector<fs::path> hidden_program_folders(const std::vector<fs::path>& folders,
                                             const std::vector<std::string>& masked) {
  std::vector<fs::path> found;
  for (const fs::path& given : folders) {
    const fs::path folder = given.lexically_normal();
    if (!folder.is_absolute()) continue;
    if (folder.filename() == "bin" && may_be_shown(folder.parent_path(), masked)) {
      found.push_back(folder.parent_path());
    } else if (may_be_shown(folder, masked)) {
      found.push_back(folder);
    }
  }
  std::ranges::sort(found);
  std::vector<fs::path> outermost;
  for (const fs::path& folder : found) {
    const auto holds = [&](const fs::path& other) {
      return other == folder || lies_below(folder, other);
    };
    if (std::ranges::none_of(outermost, holds)) outermost.push_back(folder);
  }
  return outermost;
}

std::vector<sandbox::Mount> program_mounts(const Plan& plan, os::FileSystem& files) {
  std::vector<sandbox::Mount> mounts;
  if (plan.isolation == sandbox::Isolation::kPlain) return mounts;
  for (const fs::path& folder : hidden_program_folders(program_folders(plan), plan.masked_paths)) {
    const auto status = files.stat_followed(folder);
    if (!status || status->kind != os::FileKind::kDirectory) continue;
    sandbox::Mount mount;
    mount.kind = sandbox::Mount::Kind::kReadOnlyBind;
    mount.target = folder;
    mount.source = folder;
    mounts.push_back(std::move(mount));
  }
  return mounts;
}

}  // namespace evener::backends
