#include "training/artifacts/overlay.h"

#include "training/artifacts/host_calls.h"
#include "training/artifacts/relative_path.h"

namespace evener::artifacts {

Showing choose_showing(const ChannelShare& share, const std::vector<std::string>& paths) {
  if (!share.listing->folder) return Showing::kCopy;
  for (const auto& shown : share.objects)
    if (hidden_paths(paths, shown).size() > kMostWhiteouts) return Showing::kCopy;
  return Showing::kOverlay;
}

Status hide_others(os::FileSystem& files, const std::filesystem::path& upper,
                   const std::vector<std::string>& paths, const std::vector<std::size_t>& shown) {
  std::string_view made;
  const std::vector<std::string> hidden = hidden_paths(paths, shown);
  for (const std::string& path : hidden) {
    const std::string_view parent = parent_of(path);
    if (parent != made && !parent.empty()) {
      RETURN_IF_ERROR(files.make_directories(upper / parent));
      made = parent;
    }
    RETURN_IF_ERROR(make_whiteout(upper / path));
  }
  return ok();
}

}  // namespace evener::artifacts
