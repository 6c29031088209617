#include <gtest/gtest.h>
#include <zlib.h>

#include "base/ids.h"
#include "training/artifacts/gunzip.h"
#include "training/artifacts/gzip_chunks.h"

namespace evener::artifacts {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

std::string packed(const std::string& text, Effort effort) {
  ChunkCompressor compressor;
  std::vector<std::byte> out;
  EXPECT_TRUE(compressor.compress(bytes_of(text), effort, out).has_value());
  return {reinterpret_cast<const char*>(out.data()), out.size()};
}

Result<std::string> unpacked(const std::string& gzip, std::size_t piece) {
  std::string text;
  Gunzip gunzip([&](std::span<const std::byte> bytes) {
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return ok();
  });
  for (std::size_t at = 0; at < gzip.size(); at += piece)
    RETURN_IF_ERROR(gunzip.feed(bytes_of(gzip).subspan(at, std::min(piece, gzip.size() - at))));
  RETURN_IF_ERROR(gunzip.finish());
  return text;
}

// An implementation that is not ours.
std::string zlib_unpacked(const std::string& gzip, std::size_t size) {
  std::string text(size + 1, '\0');
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 16 + MAX_WBITS), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(gzip.data()));
  stream.avail_in = static_cast<uInt>(gzip.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  EXPECT_EQ(stream.avail_in, 0u);
  text.resize(std::min<std::size_t>(size, stream.total_out));
  inflateEnd(&stream);
  return text;
}

std::string noise(std::size_t size, std::uint64_t seed) {
  SeededRandom random(seed);
  std::string text(size, '\0');
  for (char& c : text) c = static_cast<char>(random.next());
  return text;
}

TEST(Gzip, EveryEffortUnpacksToTheSameBytes) {
  for (const std::size_t size : {0u, 1u, 65535u, 65536u, 1u << 20}) {
    for (const std::string& text : {noise(size, 1), std::string(size, 'z')}) {
      for (const Effort effort : {Effort::kStore, Effort::kFast, Effort::kSmall}) {
        const std::string gzip = packed(text, effort);
        EXPECT_EQ(zlib_unpacked(gzip, size), text);
        EXPECT_EQ(unpacked(gzip, 1000).value(), text);
      }
    }
  }
}

TEST(Gzip, TheEffortFollowsTheData) {
  ChunkCompressor compressor;
  EXPECT_EQ(compressor.choose(bytes_of(noise(1 << 20, 3))), Effort::kStore);
  EXPECT_EQ(compressor.choose(bytes_of(std::string(1 << 20, 'a'))), Effort::kSmall);
  std::string weights = noise(1 << 20, 4);
  for (std::size_t i = 3; i < weights.size(); i += 4) weights[i] = static_cast<char>(weights[i] & 7);
  EXPECT_EQ(compressor.choose(bytes_of(weights)), Effort::kFast);
}

TEST(Gzip, ManyMembersAndPaddingAreOneStream) {
  const std::string gzip = packed("one ", Effort::kFast) + packed("two ", Effort::kStore) +
                           packed("", Effort::kFast) + packed("three", Effort::kSmall) +
                           std::string(1000, '\0');
  for (const std::size_t piece : {1u, 7u, 100'000u})
    EXPECT_EQ(unpacked(gzip, piece).value(), "one two three");
}

TEST(Gzip, DamageOfAnyKindIsCorrupt) {
  const std::string gzip = packed(noise(100'000, 5) + std::string(100'000, 'x'), Effort::kFast);
  for (const std::size_t length : {std::size_t{0}, std::size_t{5}, std::size_t{11}, gzip.size() / 2, gzip.size() - 8, gzip.size() - 1})
    EXPECT_EQ(unpacked(gzip.substr(0, length), 4096).error().code, ErrorCode::kCorrupt) << length;
  EXPECT_EQ(unpacked("plain text, not gzip at all", 4096).error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(unpacked(gzip + "tail", 4096).error().code, ErrorCode::kCorrupt);
  const std::string padding(10, '\0');
  EXPECT_EQ(unpacked(gzip + padding + "tail", 4096).error().code, ErrorCode::kCorrupt);
  SeededRandom random(6);
  for (int round = 0; round < 200; ++round) {
    std::string bad = gzip;
    // Bits of the header's time, system and flags for text mean nothing.
    const std::size_t at = 10 + random.below(bad.size() - 10);
    bad[at] = static_cast<char>(bad[at] ^ (1 << random.below(8)));
    const auto result = unpacked(bad, 4096);
    EXPECT_FALSE(result.has_value()) << "byte " << at;
  }
}

TEST(Gzip, AFullDiskIsNotTakenForDamage) {
  const std::string gzip = packed("text", Effort::kFast);
  Gunzip gunzip([](std::span<const std::byte>) { return Status(failure(ErrorCode::kNoSpace, "full")); });
  EXPECT_EQ(gunzip.feed(bytes_of(gzip)).error().code, ErrorCode::kNoSpace);
}

}  // namespace
}  // namespace evener::artifacts
