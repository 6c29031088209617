#include <set>

#include "training/artifacts/archive_reader.h"
#include "training/artifacts/artifacts.h"
#include "training/artifacts/relative_path.h"

namespace evener::artifacts {
namespace {

tl::unexpected<Error> refuse(const ArchiveEntry& entry, const std::string& why) {
  return failure(ErrorCode::kInvalidArgument, "entry \"" + entry.path + "\" " + why);
}

// Writes entries as they come; symlinks last, so that nothing can be written through one.
class Unpacking {
 public:
  Unpacking(const std::filesystem::path& folder, const UnpackLimits& limits, os::FileSystem& files)
      : folder_(folder), limits_(limits), files_(files) {}

  Status add(const ArchiveEntry& entry, ArchiveReader& reader) {
    if (++entries_ > limits_.entries)
      return failure(ErrorCode::kLimitExceeded,
                     "more than " + std::to_string(limits_.entries) + " entries");
    auto path = safe_member_path(entry.path);
    if (!path) return tl::unexpected(std::move(path.error()));
    if (path->empty() && entry.kind == ArchiveEntryKind::kFolder) return ok();
    if (path->empty()) return refuse(entry, "names no file");
    // Refused before anything of the entry is written, its folders included.
    if (entry.kind == ArchiveEntryKind::kOther)
      return refuse(entry, "is a device, FIFO or another special file");
    RETURN_IF_ERROR(enter(entry, parent_of(*path)));
    switch (entry.kind) {
      case ArchiveEntryKind::kFolder: return enter(entry, *path);
      case ArchiveEntryKind::kSymlink: return add_link(entry, *path);
      case ArchiveEntryKind::kHardLink: return copy_linked(entry, *path);
      case ArchiveEntryKind::kFile: return write_file(entry, *path, reader);
      case ArchiveEntryKind::kOther: break;
    }
    return ok();
  }

  Status make_links() {
    for (const auto& [path, target] : links_) {
      if (follow_link(links_, path) != LinkReach::kInside)
        return failure(ErrorCode::kInvalidArgument,
                       "entry \"" + path + "\" is a symlink to \"" + target +
                           "\", which leaves the folder or leads nowhere");
    }
    for (const auto& [path, target] : links_)
      RETURN_IF_ERROR(files_.make_symlink(target, folder_ / path));
    return ok();
  }

 private:
  // Makes sure that `path` and all above it are real folders.
  Status enter(const ArchiveEntry& entry, std::string_view path) {
    if (path.empty() || folders_.contains(path)) return ok();
    RETURN_IF_ERROR(enter(entry, parent_of(path)));
    if (links_.contains(path)) return refuse(entry, "goes through the symlink \"" + std::string(path) + "\"");
    const auto there = files_.stat(folder_ / path);
    if (there && there->kind != os::FileKind::kDirectory)
      return refuse(entry, "needs the folder \"" + std::string(path) + "\", which is no folder");
    if (!there) {
      if (there.error().code != ErrorCode::kNotFound) return tl::unexpected(there.error());
      RETURN_IF_ERROR(files_.make_directories(folder_ / path));
    }
    folders_.emplace(path);
    return ok();
  }

  // As tar does, a later entry replaces an earlier one of the same name; a folder stays.
  Status make_room(const ArchiveEntry& entry, const std::string& path) {
    links_.erase(path);
    const auto there = files_.stat(folder_ / path);
    if (!there)
      return there.error().code == ErrorCode::kNotFound ? ok()
                                                        : Status(tl::unexpected(there.error()));
    if (there->kind == os::FileKind::kDirectory) return refuse(entry, "is already there as a folder");
    return files_.remove_file(folder_ / path);
  }

  Status add_link(const ArchiveEntry& entry, const std::string& path) {
    if (follow_link({{path, entry.link}}, path) == LinkReach::kOutside)
      return refuse(entry, "is a symlink to \"" + entry.link + "\", outside the folder");
    RETURN_IF_ERROR(make_room(entry, path));
    links_.insert_or_assign(path, entry.link);
    return ok();
  }

  Status count(std::uint64_t bytes) {
    bytes_ += bytes;
    if (bytes_ <= limits_.bytes) return ok();
    return failure(ErrorCode::kLimitExceeded,
                   "more than " + std::to_string(limits_.bytes) + " bytes when unpacked");
  }

  Status copy_linked(const ArchiveEntry& entry, const std::string& path) {
    auto target = safe_member_path(entry.link);
    if (!target) return refuse(entry, "is a hard link that leaves the folder: \"" + entry.link + "\"");
    RETURN_IF_ERROR(enter(entry, parent_of(*target)));
    const auto stat = files_.stat(folder_ / *target);
    if (!stat && stat.error().code != ErrorCode::kNotFound) return tl::unexpected(stat.error());
    if (target->empty() || !stat || stat->kind != os::FileKind::kRegular || links_.contains(*target))
      return refuse(entry, "is a hard link to \"" + entry.link + "\", which is no file before it");
    if (*target == path) return ok();
    RETURN_IF_ERROR(count(stat->size));
    RETURN_IF_ERROR(make_room(entry, path));
    return files_.copy_file(folder_ / *target, folder_ / path);
  }

  Status write_file(const ArchiveEntry& entry, const std::string& path, ArchiveReader& reader) {
    if (entry.size > limits_.bytes - bytes_) return count(entry.size);
    RETURN_IF_ERROR(make_room(entry, path));
    auto file = files_.create(folder_ / path);
    if (!file) return tl::unexpected(std::move(file.error()));
    const auto write = [&](std::span<const std::byte> bytes) {
      Status counted = count(bytes.size());
      return counted ? (*file)->append(bytes) : counted;
    };
    RETURN_IF_ERROR(reader.read_data(write));
    RETURN_IF_ERROR((*file)->close());
    return files_.set_mode(folder_ / path, entry.executable ? 0755 : 0644);
  }

  const std::filesystem::path& folder_;
  const UnpackLimits& limits_;
  os::FileSystem& files_;
  std::uint64_t entries_ = 0;
  std::uint64_t bytes_ = 0;
  std::set<std::string, std::less<>> folders_;   // known to be real ones
  LinkMap links_;                                // made at the end
};

}  // namespace

Status unpack_archive(const std::filesystem::path& archive, const std::filesystem::path& folder,
                      const UnpackLimits& limits, os::FileSystem& files) {
  const std::string doing = "unpack " + archive.string();
  auto reader = ArchiveReader::open(files, archive);
  if (!reader) return failure_in(doing, std::move(reader.error()));
  RETURN_IF_ERROR(files.make_directories(folder));
  Unpacking unpacking(folder, limits, files);
  while (true) {
    auto entry = (*reader)->next();
    if (!entry) return failure_in(doing, std::move(entry.error()));
    if (!entry->has_value()) break;
    Status added = unpacking.add(**entry, **reader);
    if (!added) return failure_in(doing, std::move(added.error()));
  }
  Status linked = unpacking.make_links();
  if (!linked) return failure_in(doing, std::move(linked.error()));
  return ok();
}

}  // namespace evener::artifacts
