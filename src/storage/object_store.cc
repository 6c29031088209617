#include <algorithm>

#include "storage/storage.h"

namespace evener::storage {
namespace {
constexpr std::size_t kPieceBytes = 512u << 10;  // read at a time; fits a core's cache
}

Result<std::unique_ptr<os::WritableFile>> ObjectStore::create_new(const Uri& object) {
  return failure(ErrorCode::kUnsupported,
                 to_string(object) + ": this store cannot keep a name for one writer");
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
