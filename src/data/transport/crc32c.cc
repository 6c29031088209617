#include <isa-l/crc.h>

#include <algorithm>

#include "data/transport/frame.h"

namespace evener::data::transport {

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before) {
  constexpr std::size_t kPieceBytes = 1u << 30;          // the library counts in int
  std::uint32_t crc = ~before;
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min(bytes.size(), kPieceBytes));
    auto* start = const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(piece.data()));
    crc = ::crc32_iscsi(start, static_cast<int>(piece.size()), crc);
    bytes = bytes.subspan(piece.size());
  }
  return ~crc;
}

}  // namespace evener::data::transport
