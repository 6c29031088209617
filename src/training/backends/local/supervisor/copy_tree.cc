#include "training/backends/local/supervisor/copy_tree.h"

namespace evener::backends {

Status copy_tree(os::FileSystem& files, const std::filesystem::path& from,
                 const std::filesystem::path& to) {
  RETURN_IF_ERROR(files.make_directories(to));
  auto entries = files.list(from);
  if (!entries) return tl::unexpected<Error>(entries.error());
  for (const os::DirectoryEntry& entry : *entries) {
    const auto source = from / entry.name;
    const auto target = to / entry.name;
    switch (entry.kind) {
      case os::FileKind::kDirectory:
        RETURN_IF_ERROR(copy_tree(files, source, target));
        break;
      case os::FileKind::kRegular:
        RETURN_IF_ERROR(files.copy_file(source, target));
        break;
      case os::FileKind::kSymlink: {
        auto link = files.read_symlink(source);
        if (!link) return tl::unexpected<Error>(link.error());
        RETURN_IF_ERROR(files.make_symlink(*link, target));
        break;
      }
      case os::FileKind::kOther: break;
    }
  }
  return ok();
}

}  // namespace evener::backends
