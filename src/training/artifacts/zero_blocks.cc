#include "training/artifacts/zero_blocks.h"

#include <algorithm>
#include <cstring>

namespace evener::artifacts {
namespace {

constexpr std::size_t kFirstLook = 4096;  // bytes of a block read before the rest

bool all_zero(std::span<const std::byte> bytes) {
  return bytes.empty() || (bytes[0] == std::byte{0} &&
                           std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

Result<bool> range_is_zero(const os::ReadableFile& file, std::uint64_t offset,
                           std::span<std::byte> buffer) {
  std::size_t filled = 0;
  while (filled < buffer.size()) {
    auto got = file.read_at(offset + filled, buffer.subspan(filled));
    if (!got) return tl::unexpected(std::move(got.error()));
    if (*got == 0) return failure(ErrorCode::kIo, "the file became shorter while it was read");
    if (!all_zero(buffer.subspan(filled, *got))) return false;
    filled += *got;
  }
  return true;
}

Result<bool> block_is_zero(const os::ReadableFile& file, std::uint64_t offset,
                           std::span<std::byte> buffer) {
  const std::size_t look = std::min(kFirstLook, buffer.size());
  auto start = range_is_zero(file, offset, buffer.first(look));
  if (!start || !*start) return start;
  return range_is_zero(file, offset + look, buffer.subspan(look));
}

}  // namespace

Result<std::optional<std::vector<os::Extent>>> sparse_parts(const os::ReadableFile& file,
                                                            std::uint64_t size) {
  using Parts = std::vector<os::Extent>;
  if (size < kZeroBlock) return std::optional<Parts>();
  auto extents = file.extents();
  if (!extents) return tl::unexpected(std::move(extents.error()));
  std::vector<std::byte> buffer(kZeroBlock);
  Parts parts;
  std::uint64_t data_bytes = 0;
  std::uint64_t next = 0;  // first byte of the first block not yet looked at
  for (const os::Extent& extent : *extents) {
    std::uint64_t at = std::max(next, extent.offset / kZeroBlock * kZeroBlock);
    for (; at < extent.offset + extent.length && at < size; at += kZeroBlock) {
      const std::uint64_t length = std::min(kZeroBlock, size - at);
      auto zero = block_is_zero(file, at, std::span(buffer).first(length));
      if (!zero) return tl::unexpected(std::move(zero.error()));
      if (*zero) continue;
      data_bytes += length;
      if (!parts.empty() && parts.back().offset + parts.back().length == at)
        parts.back().length += length;
      else
        parts.push_back({at, length});
    }
    next = std::max(next, at);
  }
  if (size - data_bytes < size / kSparseShare) return std::optional<Parts>();
  return std::optional<Parts>(std::move(parts));
}

}  // namespace evener::artifacts
