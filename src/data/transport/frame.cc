#include "data/transport/frame.h"

#include <bit>
#include <cstring>

namespace evener::data::transport {
namespace {

static_assert(std::endian::native == std::endian::little, "fields are stored as they lie");

constexpr std::uint32_t kMagic = 0x31465645;             // "EVF1"
constexpr std::uint16_t kKnownFlags = kHasBodyChecksum | kInArena | kOnlyForUnit;

// Where each field of a header begins.
enum Position : std::size_t {
  kMagicAt = 0, kVersionAt = 4, kKindAt = 5, kFlagsAt = 6, kFeedAt = 8, kAttemptAt = 12,
  kEpochAt = 16, kSamplesAt = 20, kBatchAt = 24, kBodyBytesAt = 32, kOffsetAt = 40,
  kGenerationAt = 48, kReservedAt = 52, kBodyChecksumAt = 56, kHeaderChecksumAt = 60,
};

template <class T>
T get(std::span<const std::byte, kHeaderBytes> bytes, Position at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

template <class T>
void put(HeaderBytes& bytes, Position at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

Status check_form(std::span<const std::byte, kHeaderBytes> bytes) {
  if (get<std::uint32_t>(bytes, kMagicAt) != kMagic)
    return failure(ErrorCode::kCorrupt, "frame: does not begin with EVF1");
  // Before the checksum: another version may have another one.
  const auto version = get<std::uint8_t>(bytes, kVersionAt);
  if (version != kWireVersion)
    return failure(ErrorCode::kUnsupported, "frame: version " + std::to_string(version) +
                                                " of the wire, this Evener speaks 1");
  if (get<std::uint32_t>(bytes, kHeaderChecksumAt) != crc32c(bytes.first<kHeaderChecksumAt>()))
    return failure(ErrorCode::kCorrupt, "frame: checksum of the header is wrong");
  return ok();
}

Status check_fields(const FrameHeader& header, std::uint32_t reserved, std::uint64_t body_limit) {
  const auto kind = static_cast<unsigned>(header.kind);
  if (kind < static_cast<unsigned>(FrameKind::kHello) ||
      kind > static_cast<unsigned>(FrameKind::kStatistics))
    return failure(ErrorCode::kCorrupt, "frame: kind " + std::to_string(kind) + " is unknown");
  if ((header.flags & ~kKnownFlags) != 0)
    return failure(ErrorCode::kCorrupt, "frame: unknown flags " + std::to_string(header.flags));
  if (reserved != 0) return failure(ErrorCode::kCorrupt, "frame: reserved field is not zero");
  if ((header.flags & kHasBodyChecksum) == 0 && header.body_checksum != 0)
    return failure(ErrorCode::kCorrupt, "frame: checksum of the body without its flag");
  if ((header.flags & kInArena) != 0 && header.kind != FrameKind::kData)
    return failure(ErrorCode::kCorrupt, "frame: only data lie in an arena");
  if ((header.flags & kOnlyForUnit) != 0 && header.kind != FrameKind::kCredit &&
      header.kind != FrameKind::kData)
    return failure(ErrorCode::kCorrupt, "frame: only credit and its data are for one unit");
  if (header.body_bytes > body_limit)
    return failure(ErrorCode::kLimitExceeded,
                   "frame: " + std::string(to_string(header.kind)) + " with a body of " +
                       std::to_string(header.body_bytes) + " bytes, at most " +
                       std::to_string(body_limit) + " are taken");
  return ok();
}

}  // namespace

std::string_view to_string(FrameKind kind) {
  switch (kind) {
    case FrameKind::kHello: return "hello";
    case FrameKind::kWelcome: return "welcome";
    case FrameKind::kRefuse: return "refuse";
    case FrameKind::kWorkers: return "workers";
    case FrameKind::kFeed: return "feed";
    case FrameKind::kLease: return "lease";
    case FrameKind::kRevoke: return "revoke";
    case FrameKind::kAck: return "ack";
    case FrameKind::kCredit: return "credit";
    case FrameKind::kData: return "data";
    case FrameKind::kFailed: return "failed";
    case FrameKind::kPing: return "ping";
    case FrameKind::kStatistics: return "statistics";
  }
  return "unknown";
}

std::string to_string(const Unit& unit) {
  return "epoch " + std::to_string(unit.epoch) + ", batch " + std::to_string(unit.batch);
}

HeaderBytes encode(const FrameHeader& header) {
  HeaderBytes bytes{};
  put(bytes, kMagicAt, kMagic);
  put(bytes, kVersionAt, kWireVersion);
  put(bytes, kKindAt, static_cast<std::uint8_t>(header.kind));
  put(bytes, kFlagsAt, header.flags);
  put(bytes, kFeedAt, header.feed);
  put(bytes, kAttemptAt, header.attempt);
  put(bytes, kEpochAt, header.epoch);
  put(bytes, kSamplesAt, header.samples);
  put(bytes, kBatchAt, header.batch);
  put(bytes, kBodyBytesAt, header.body_bytes);
  put(bytes, kOffsetAt, header.offset);
  put(bytes, kGenerationAt, header.generation);
  put(bytes, kBodyChecksumAt, header.body_checksum);
  put(bytes, kHeaderChecksumAt, crc32c(std::span(bytes).first<kHeaderChecksumAt>()));
  return bytes;
}

Result<FrameHeader> decode(std::span<const std::byte, kHeaderBytes> bytes,
                           std::uint64_t body_limit) {
  RETURN_IF_ERROR(check_form(bytes));
  FrameHeader header;
  header.kind = static_cast<FrameKind>(get<std::uint8_t>(bytes, kKindAt));
  header.flags = get<std::uint16_t>(bytes, kFlagsAt);
  header.feed = get<std::uint32_t>(bytes, kFeedAt);
  header.attempt = get<std::uint32_t>(bytes, kAttemptAt);
  header.epoch = get<std::uint32_t>(bytes, kEpochAt);
  header.samples = get<std::uint32_t>(bytes, kSamplesAt);
  header.batch = get<std::uint64_t>(bytes, kBatchAt);
  header.body_bytes = get<std::uint64_t>(bytes, kBodyBytesAt);
  header.offset = get<std::uint64_t>(bytes, kOffsetAt);
  header.generation = get<std::uint32_t>(bytes, kGenerationAt);
  header.body_checksum = get<std::uint32_t>(bytes, kBodyChecksumAt);
  RETURN_IF_ERROR(check_fields(header, get<std::uint32_t>(bytes, kReservedAt), body_limit));
  return header;
}

std::uint64_t wire_body_bytes(const FrameHeader& header) {
  return (header.flags & kInArena) != 0 ? 0 : align_up(header.body_bytes);
}

std::string frame_bytes(FrameHeader header, std::string_view body) {
  header.body_bytes = body.size();
  const HeaderBytes start = encode(header);
  std::string bytes(reinterpret_cast<const char*>(start.data()), start.size());
  bytes.append(body);
  bytes.resize(kHeaderBytes + align_up(body.size()), '\0');
  return bytes;
}

}  // namespace evener::data::transport
