#include "data/images/exif.h"

#include <cstdint>

namespace evener::data::images {
namespace {

constexpr std::uint16_t kOrientationTag = 0x0112;
constexpr std::uint16_t kShortType = 3;
constexpr std::size_t kEntryBytes = 12;

// Numbers in the byte order that the block says; beyond its end everything is 0.
class Tiff {
 public:
  explicit Tiff(std::span<const std::byte> bytes) : bytes_(bytes) {
    little_ = byte_at(0) == 'I' && byte_at(1) == 'I';
    readable_ = (little_ || (byte_at(0) == 'M' && byte_at(1) == 'M')) && u16(2) == 42;
  }
  bool is_readable() const { return readable_; }
  std::uint32_t u16(std::size_t at) const {
    return little_ ? byte_at(at) | byte_at(at + 1) << 8 : byte_at(at) << 8 | byte_at(at + 1);
  }
  std::uint32_t u32(std::size_t at) const {
    return little_ ? u16(at) | u16(at + 2) << 16 : u16(at) << 16 | u16(at + 2);
  }

 private:
  std::uint32_t byte_at(std::size_t at) const {
    return at < bytes_.size() ? std::to_integer<std::uint32_t>(bytes_[at]) : 0;
  }
  std::span<const std::byte> bytes_;
  bool little_ = false;
  bool readable_ = false;
};

}  // namespace

int orientation_in_tiff(std::span<const std::byte> tiff) {
  const Tiff block(tiff);
  if (!block.is_readable()) return 1;
  const std::size_t directory = block.u32(4);
  const std::size_t entries = block.u16(directory);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t entry = directory + 2 + i * kEntryBytes;
    if (entry >= tiff.size()) break;
    if (block.u16(entry) != kOrientationTag || block.u16(entry + 2) != kShortType) continue;
    const auto value = static_cast<int>(block.u16(entry + 8));
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

}  // namespace evener::data::images
