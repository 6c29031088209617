#include "training/runner/source_copy.h"

#include <algorithm>

#include "base/byte_size.h"
#include "training/runner/runner.h"

namespace evener::runner {

namespace {

using std::filesystem::path;

bool encloses(const path& folder, const path& inner) {
  const auto [end, at] = std::mismatch(folder.begin(), folder.end(), inner.begin(), inner.end());
  return end == folder.end();
}

tl::unexpected<Error> too_much(const path& source) {
  return failure(ErrorCode::kLimitExceeded,
                 "the source folder '" + source.string() + "' holds more than " +
                     format_bytes(kSourceLimitBytes) + "; bring data as channels");
}

class SourceCopy {
 public:
  SourceCopy(path source, path target, os::FileSystem& files)
      : source_(std::move(source)), target_(std::move(target)), files_(files) {}

  Status run() { return copy_folder(source_, target_, 0); }

 private:
  Status copy_folder(const path& from, const path& to, int depth) {
    if (depth > kSourceDepthLimit)
      return failure(ErrorCode::kLimitExceeded, "the source folder '" + source_.string() +
                                                    "' is nested more than " +
                                                    std::to_string(kSourceDepthLimit) + " deep");
    RETURN_IF_ERROR(files_.make_directories(to));
    const Result<std::vector<os::DirectoryEntry>> entries = files_.list(from);
    if (!entries) return tl::unexpected(entries.error());
    for (const os::DirectoryEntry& entry : *entries)
      RETURN_IF_ERROR(copy_entry(from / entry.name, to / entry.name, entry.kind, depth));
    return ok();
  }

  Status copy_entry(const path& from, const path& to, os::FileKind kind, int depth) {
    switch (kind) {
      case os::FileKind::kDirectory:
        return encloses(from, target_) ? ok() : copy_folder(from, to, depth + 1);
      case os::FileKind::kSymlink: {
        const Result<std::string> link = files_.read_symlink(from);
        if (!link) return tl::unexpected(link.error());
        return files_.make_symlink(*link, to);
      }
      case os::FileKind::kRegular: {
        const Result<os::FileStat> stat = files_.stat(from);
        if (!stat) return tl::unexpected(stat.error());
        bytes_ += stat->size;
        if (bytes_ > kSourceLimitBytes) return too_much(source_);
        return files_.copy_file(from, to);
      }
      case os::FileKind::kOther: return ok();
    }
    return ok();
  }

  const path source_;
  const path target_;
  os::FileSystem& files_;
  std::uint64_t bytes_ = 0;
};

}  // namespace

Status copy_source(const path& source, const path& target, os::FileSystem& files) {
  return SourceCopy(source.lexically_normal(), target.lexically_normal(), files).run();
}

Status fetch_object(const storage::StoredObject& object, storage::ObjectStore& store,
                    const path& target, os::FileSystem& files) {
  const Result<storage::Uri> uri = storage::parse_uri(object.uri);
  if (!uri) return tl::unexpected(uri.error());
  const auto input = store.open(*uri);
  if (!input) return tl::unexpected(input.error());
  RETURN_IF_ERROR(os::make_parent_directories(files, target));
  const auto output = files.create(target);
  if (!output) return tl::unexpected(output.error());
  std::vector<std::byte> buffer(1u << 20);
  for (std::uint64_t offset = 0;;) {
    const Result<std::size_t> count = (*input)->read_at(offset, buffer);
    if (!count) return tl::unexpected(count.error());
    if (*count == 0) return (*output)->close();
    RETURN_IF_ERROR((*output)->append(std::span(buffer).first(*count)));
    offset += *count;
  }
}

Status fetch_objects(const std::vector<storage::StoredObject>& objects, storage::ObjectStore& store,
                     const path& folder, os::FileSystem& files) {
  std::uint64_t bytes = 0;
  for (const storage::StoredObject& object : objects) {
    bytes += object.size;
    if (bytes > kSourceLimitBytes) return too_much(object.uri);
    const path relative = path(object.key).lexically_normal();
    if (relative.empty() || relative.is_absolute() || *relative.begin() == "..")
      return failure(ErrorCode::kInvalidArgument,
                     "the object '" + object.uri + "' would lie outside the code folder");
    RETURN_IF_ERROR(fetch_object(object, store, folder / relative, files));
  }
  return ok();
}

}  // namespace evener::runner
