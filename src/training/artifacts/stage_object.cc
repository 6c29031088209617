#include "training/artifacts/stage_object.h"

#include <algorithm>

#include "training/artifacts/host_calls.h"
#include "training/artifacts/object_copy.h"

namespace evener::artifacts {
namespace {

// Smaller files are copied by one call; a stop request may wait that long (0.2 s on a slow disk).
constexpr std::uint64_t kOneCallBytes = 64u << 20;

// Part of a file as a file of its own: what copy_bytes reads.
class FileRange final : public os::ReadableFile {
 public:
  FileRange(const os::ReadableFile& whole, os::Extent range) : whole_(whole), range_(range) {}
  Result<os::FileStat> stat() const override {
    auto stat = whole_.stat();
    if (stat) stat->size = range_.length;
    return stat;
  }
  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> buffer) const override {
    if (offset >= range_.length) return std::size_t{0};
    const std::uint64_t left = range_.length - offset;
    return whole_.read_at(range_.offset + offset,
                          buffer.first(static_cast<std::size_t>(
                              std::min<std::uint64_t>(left, buffer.size()))));
  }
  Result<std::vector<os::Extent>> extents() const override {
    return std::vector<os::Extent>{{0, range_.length}};
  }

 private:
  const os::ReadableFile& whole_;
  os::Extent range_;
};

// Keeps holes: the file is lengthened over each and continued behind it.
Status copy_in_pieces(const os::ReadableFile& from, const std::filesystem::path& to,
                      os::FileSystem& files, ProgressMeter& meter, const std::stop_token& stop) {
  auto stat = from.stat();
  if (!stat) return tl::unexpected(std::move(stat.error()));
  auto extents = from.extents();
  if (!extents) return tl::unexpected(std::move(extents.error()));
  auto created = files.create(to);
  if (!created) return tl::unexpected(std::move(created.error()));
  std::unique_ptr<os::WritableFile> target = std::move(*created);
  std::uint64_t end = 0;
  for (const os::Extent& extent : *extents) {
    if (extent.offset > end) {
      RETURN_IF_ERROR(target->close());
      RETURN_IF_ERROR(files.truncate(to, extent.offset));
      auto continued = files.open_append(to);
      if (!continued) return tl::unexpected(std::move(continued.error()));
      target = std::move(*continued);
      meter.add(extent.offset - end);
    }
    RETURN_IF_ERROR(copy_bytes(FileRange(from, extent), *target, meter, stop));
    end = extent.offset + extent.length;
  }
  RETURN_IF_ERROR(target->close());
  if (end < stat->size) {
    RETURN_IF_ERROR(files.truncate(to, stat->size));
    meter.add(stat->size - end);
  }
  return ok();
}

Status copy_local(const std::filesystem::path& from, const std::filesystem::path& to,
                  os::FileSystem& files, ProgressMeter& meter, const std::stop_token& stop) {
  auto stat = files.stat_followed(from);
  if (!stat) return tl::unexpected(std::move(stat.error()));
  if (stat->size <= kOneCallBytes) {
    if (stop.stop_requested()) return failure(ErrorCode::kCancelled, "stopped on request");
    RETURN_IF_ERROR(files.copy_file(from, to));
    meter.add(stat->size);
    return ok();
  }
  Status cloned = clone_file(from, to);
  if (cloned) {
    meter.add(stat->size);
  } else {
    if (cloned.error().code == ErrorCode::kNoSpace) return cloned;
    auto source = files.open(from);
    if (!source) return tl::unexpected(std::move(source.error()));
    RETURN_IF_ERROR(copy_in_pieces(**source, to, files, meter, stop));
  }
  return files.set_mode(to, stat->mode & 0777);
}

Status fetch_unpacked(const ObjectToStage& object, os::FileSystem& files, ProgressMeter& meter,
                      const std::stop_token& stop) {
  auto source = object.store->open(object.source);
  if (!source) return tl::unexpected(std::move(source.error()));
  auto target = files.create(object.targets.front());
  if (!target) return tl::unexpected(std::move(target.error()));
  RETURN_IF_ERROR(gunzip_bytes(**source, **target, meter, stop));
  return (*target)->close();
}

// Once from the store; the other hosts get copies of the first one's file.
Status fetch(const ObjectToStage& object, os::FileSystem& files, ProgressMeter& meter,
             const std::stop_token& stop) {
  const std::filesystem::path& first = object.targets.front();
  if (object.gzip) {
    RETURN_IF_ERROR(fetch_unpacked(object, files, meter, stop));
  } else {
    const storage::FetchOptions options{.size = object.bytes / object.targets.size(),
                                        .arrived = [&](std::uint64_t more) { meter.add(more); },
                                        .stop = stop};
    RETURN_IF_ERROR(object.store->fetch(object.source, files, first, options));
  }
  for (std::size_t i = 1; i < object.targets.size(); ++i) {
    if (stop.stop_requested()) return failure(ErrorCode::kCancelled, "stopped on request");
    RETURN_IF_ERROR(files.copy_file(first, object.targets[i]));
    meter.add(object.bytes / object.targets.size());
  }
  return ok();
}

}  // namespace

Status stage_object(const ObjectToStage& object, os::FileSystem& files, ProgressMeter& meter,
                    const std::stop_token& stop) {
  if (object.source.scheme != "file" || object.gzip) return fetch(object, files, meter, stop);
  for (const std::filesystem::path& target : object.targets)
    RETURN_IF_ERROR(copy_local("/" + object.source.key, target, files, meter, stop));
  return ok();
}

}  // namespace evener::artifacts
