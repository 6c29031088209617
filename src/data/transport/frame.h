// The 64 bytes before every body, and whole frames of small control messages.
//
// Used by:  every module of data that reads or writes a socket.
// Threads:  values and pure functions.
// Fails:    kCorrupt (magic, checksum, reserved bits), kUnsupported (another version),
//           kLimitExceeded (a body over the limit), each naming the field and its value.
// Source:   formats/wire.md.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "data/transport/schema.h"

namespace evener::data::transport {

inline constexpr std::size_t kHeaderBytes = 64;
inline constexpr std::uint8_t kWireVersion = 1;
inline constexpr std::uint64_t kMaxHelloBytes = 64u << 10;
inline constexpr std::uint64_t kMaxControlBytes = 1u << 20;

enum class FrameKind : std::uint8_t {
  kHello = 1, kWelcome, kRefuse, kWorkers, kFeed, kLease, kRevoke, kAck, kCredit, kData, kFailed,
  kPing, kStatistics,
};
std::string_view to_string(FrameKind kind);

// Flags of a header; other bits are refused.
inline constexpr std::uint16_t kHasBodyChecksum = 1;     // body_checksum is the crc32c of the body
inline constexpr std::uint16_t kInArena = 2;             // data: the body lies at `offset` of the arena
inline constexpr std::uint16_t kOnlyForUnit = 4;         // credit: for one body of the named unit;
                                                         // data: that such a credit paid for

// The thing that is leased: one batch of one epoch. Epochs and batches count from 0.
struct Unit {
  std::uint32_t epoch = 0;
  std::uint64_t batch = 0;
  auto operator<=>(const Unit&) const = default;
};
std::string to_string(const Unit& unit);                 // "epoch 3, batch 417"

struct FrameHeader {
  FrameKind kind = FrameKind::kPing;
  std::uint16_t flags = 0;
  std::uint32_t feed = 0;
  std::uint32_t attempt = 0;                             // which lease of the unit, from 0
  std::uint32_t epoch = 0;
  std::uint32_t samples = 0;                             // data: of the batch; lease: units
  std::uint64_t batch = 0;
  std::uint64_t body_bytes = 0;                          // without the zeros that pad it to 64
  std::uint64_t offset = 0;                              // arena place, or bytes of a credit
  std::uint32_t generation = 0;
  std::uint32_t body_checksum = 0;                       // 0 without kHasBodyChecksum
  Unit unit() const { return {epoch, batch}; }
  bool operator==(const FrameHeader&) const = default;
};

using HeaderBytes = std::array<std::byte, kHeaderBytes>;
HeaderBytes encode(const FrameHeader& header);
// Bodies longer than `body_limit` are refused.
Result<FrameHeader> decode(std::span<const std::byte, kHeaderBytes> bytes,
                           std::uint64_t body_limit = kMaxControlBytes);

// A frame somewhere in memory; `body` is unpadded and begins at a multiple of 64.
struct FrameView {
  FrameHeader header;
  std::span<const std::byte> body;
};

// The body's bytes that follow the header on the wire: padded, or none where it lies in an arena.
std::uint64_t wire_body_bytes(const FrameHeader& header);

// The bytes of a control frame, padded; sets the header's body_bytes.
std::string frame_bytes(FrameHeader header, std::string_view body = {});

// CRC-32C (Castagnoli) of `bytes`, continued from `before`. RFC 3720, appendix B.4.
std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before = 0);

}  // namespace evener::data::transport
