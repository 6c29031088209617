#include <algorithm>

#include "storage/storage.h"

namespace evener::storage {
namespace {
constexpr std::size_t kPieceBytes = 512u << 10;  // read at a time; fits a core's cache

tl::unexpected<Error> changed(const Uri& object, const std::string& how) {
  return failure(ErrorCode::kCorrupt, to_string(object) + " changed since it was listed: " + how);
}

Status read_all(const Uri& object, const os::ReadableFile& file, std::uint64_t offset,
                std::span<std::byte> buffer) {
  while (!buffer.empty()) {
    auto got = file.read_at(offset, buffer);
    if (!got) return tl::unexpected(std::move(got.error()));
    if (*got == 0) return changed(object, "it ends earlier");
    offset += *got;
    buffer = buffer.subspan(*got);
  }
  return ok();
}

}  // namespace

std::string version_of(const os::FileStat& stat) {
  const std::int64_t millis = to_millis(stat.modified);
  return millis == 0 ? "" : std::to_string(millis);
}

Result<std::unique_ptr<os::WritableFile>> ObjectStore::create_new(const Uri& object) {
  return failure(ErrorCode::kUnsupported,
                 to_string(object) + ": this store cannot keep a name for one writer");
}

Status ObjectStore::read_listed(const Uri& object, const Listed& listed, std::uint64_t offset,
                                std::span<std::byte> buffer) {
  auto file = open(object);
  if (!file) return tl::unexpected(std::move(file.error()));
  auto stat = (*file)->stat();
  if (!stat) return tl::unexpected(std::move(stat.error()));
  const std::string version = version_of(*stat);
  if (stat->size != listed.size)
    return changed(object, std::to_string(listed.size) + " bytes then, " +
                               std::to_string(stat->size) + " now");
  if (!listed.version.empty() && !version.empty() && version != listed.version)
    return changed(object, "it was written since");
  return read_all(object, **file, offset, buffer);
}

Status ObjectStore::fetch(const Uri& object, os::FileSystem& files, const os::fs::path& target,
                          const FetchOptions& options) {
  auto source = open(object);
  if (!source) return tl::unexpected(std::move(source.error()));
  auto file = files.create(target);
  if (!file) return tl::unexpected(std::move(file.error()));
  std::vector<std::byte> piece(kPieceBytes);
  for (std::uint64_t offset = 0;;) {
    if (options.stop.stop_requested()) return failure(ErrorCode::kCancelled, "stopped on request");
    auto got = (*source)->read_at(offset, piece);
    if (!got) return tl::unexpected(std::move(got.error()));
    if (*got == 0) break;
    RETURN_IF_ERROR((*file)->append(std::span(piece).first(*got)));
    offset += *got;
    if (options.arrived) options.arrived(*got);
  }
  return (*file)->close();
}

}  // namespace evener::storage
