#include "training/artifacts/gzip_chunks.h"

#include <isa-l.h>

#include <algorithm>
#include <array>

namespace evener::artifacts {
namespace {

constexpr std::size_t kSamples = 4;
constexpr std::size_t kSampleBytes = 8u << 10;
constexpr double kStoreRatio = 0.98;   // above it a reader's time is worth more than the bytes
constexpr double kSmallRatio = 0.5;
constexpr std::size_t kStoredBlock = 65535;  // the most that one stored block of deflate holds
constexpr std::size_t kGzipHead = 10;
constexpr std::size_t kGzipTail = 8;

std::uint8_t* raw(std::byte* bytes) { return reinterpret_cast<std::uint8_t*>(bytes); }
// ISA-L's interface takes input as non-const but does not write to it.
std::uint8_t* raw(const std::byte* bytes) { return raw(const_cast<std::byte*>(bytes)); }

std::size_t stored_size(std::size_t bytes) {
  const std::size_t blocks = std::max<std::size_t>(1, (bytes + kStoredBlock - 1) / kStoredBlock);
  return kGzipHead + bytes + 5 * blocks + kGzipTail;
}

void put_little_endian(std::byte*& at, std::uint64_t value, int width) {
  for (int i = 0; i < width; ++i, value >>= 8) *at++ = static_cast<std::byte>(value & 0xff);
}

void store(std::span<const std::byte> bytes, std::vector<std::byte>& out) {
  out.resize(stored_size(bytes.size()));
  std::byte* at = out.data();
  constexpr std::array<unsigned char, kGzipHead> kHead{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255};
  for (const unsigned char byte : kHead) *at++ = std::byte{byte};
  std::span<const std::byte> rest = bytes;
  do {
    const std::span<const std::byte> block = rest.first(std::min(rest.size(), kStoredBlock));
    rest = rest.subspan(block.size());
    *at++ = std::byte{rest.empty()};
    put_little_endian(at, block.size(), 2);
    put_little_endian(at, ~block.size(), 2);
    at = std::copy(block.begin(), block.end(), at);
  } while (!rest.empty());
  put_little_endian(at, crc32_gzip_refl(0, raw(bytes.data()), bytes.size()), 4);
  put_little_endian(at, bytes.size(), 4);
}

}  // namespace

struct ChunkCompressor::State {
  std::vector<std::uint8_t> level_buffer =
      std::vector<std::uint8_t>(std::max<std::size_t>(ISAL_DEF_LVL1_LARGE, ISAL_DEF_LVL2_LARGE));
  std::vector<std::byte> sample_in = std::vector<std::byte>(kSamples * kSampleBytes);
  std::vector<std::byte> sample_out = std::vector<std::byte>(2 * kSamples * kSampleBytes);

  struct Request {
    std::span<const std::byte> in;
    std::span<std::byte> out;
    std::uint32_t level = 1;
    std::uint16_t format = IGZIP_GZIP;
  };
  // Bytes written; nothing when `out` is too small.
  Result<std::size_t> deflate(const Request& request) {
    isal_zstream stream;
    isal_deflate_stateless_init(&stream);
    stream.level = request.level;
    stream.level_buf = level_buffer.data();
    stream.level_buf_size = static_cast<std::uint32_t>(level_buffer.size());
    stream.gzip_flag = request.format;
    stream.end_of_stream = 1;
    stream.flush = NO_FLUSH;
    stream.next_in = raw(request.in.data());
    stream.avail_in = static_cast<std::uint32_t>(request.in.size());
    stream.next_out = raw(request.out.data());
    stream.avail_out = static_cast<std::uint32_t>(request.out.size());
    const int code = isal_deflate_stateless(&stream);
    if (code != COMP_OK)
      return failure(ErrorCode::kInternal, "deflate failed with code " + std::to_string(code));
    return std::size_t{stream.total_out};
  }
};

ChunkCompressor::ChunkCompressor() : state_(std::make_unique<State>()) {}
ChunkCompressor::~ChunkCompressor() = default;

Effort ChunkCompressor::choose(std::span<const std::byte> bytes) {
  if (bytes.size() <= kSamples * kSampleBytes) return Effort::kSmall;
  const std::size_t stride = (bytes.size() - kSampleBytes) / (kSamples - 1);
  for (std::size_t i = 0; i < kSamples; ++i)
    std::ranges::copy(bytes.subspan(i * stride, kSampleBytes),
                      state_->sample_in.begin() + static_cast<std::ptrdiff_t>(i * kSampleBytes));
  const auto size = state_->deflate({.in = state_->sample_in, .out = state_->sample_out,
                                     .level = 1, .format = IGZIP_DEFLATE});
  if (!size) return Effort::kFast;
  const double ratio = static_cast<double>(*size) / static_cast<double>(state_->sample_in.size());
  if (ratio >= kStoreRatio) return Effort::kStore;
  return ratio < kSmallRatio ? Effort::kSmall : Effort::kFast;
}

Status ChunkCompressor::compress(std::span<const std::byte> bytes, Effort effort,
                                 std::vector<std::byte>& out) {
  if (effort == Effort::kStore) {
    store(bytes, out);
    return ok();
  }
  // Level 3 makes text 3 % smaller and everything else several times slower.
  // Never larger than stored, and stored instead if it would be.
  out.resize(stored_size(bytes.size()));
  const std::uint32_t level = effort == Effort::kSmall ? 2 : 1;
  auto size = state_->deflate({.in = bytes, .out = out, .level = level, .format = IGZIP_GZIP});
  if (!size) {
    store(bytes, out);
    return ok();
  }
  out.resize(*size);
  return ok();
}

}  // namespace evener::artifacts
