#include "training/artifacts/object_copy.h"

#include "training/artifacts/gunzip.h"

namespace evener::artifacts {
namespace {

template <class Use>
Status for_each_piece(const os::ReadableFile& from, ProgressMeter& meter,
                      const std::stop_token& stop, const Use& use) {
  auto stat = from.stat();
  if (!stat) return tl::unexpected(std::move(stat.error()));
  // One byte more than the size, so that the end of a small file is seen by its first read.
  std::vector<std::byte> buffer(
      static_cast<std::size_t>(std::min<std::uint64_t>(kPieceBytes, stat->size + 1)));
  std::uint64_t offset = 0;
  while (true) {
    if (stop.stop_requested()) return failure(ErrorCode::kCancelled, "stopped on request");
    auto got = from.read_at(offset, buffer);
    if (!got) return tl::unexpected(std::move(got.error()));
    if (*got == 0) break;
    RETURN_IF_ERROR(use(std::span<const std::byte>(buffer).first(*got)));
    offset += *got;
    meter.add(*got);
  }
  if (offset < stat->size)
    return failure(ErrorCode::kIo, "the object became shorter while it was read");
  return ok();
}

}  // namespace

Status copy_bytes(const os::ReadableFile& from, os::WritableFile& to, ProgressMeter& meter,
                  const std::stop_token& stop) {
  return for_each_piece(from, meter, stop,
                        [&](std::span<const std::byte> bytes) { return to.append(bytes); });
}

Status gunzip_bytes(const os::ReadableFile& from, os::WritableFile& to, ProgressMeter& meter,
                    const std::stop_token& stop) {
  Gunzip gunzip([&](std::span<const std::byte> bytes) { return to.append(bytes); });
  RETURN_IF_ERROR(for_each_piece(
      from, meter, stop, [&](std::span<const std::byte> bytes) { return gunzip.feed(bytes); }));
  return gunzip.finish();
}

}  // namespace evener::artifacts
