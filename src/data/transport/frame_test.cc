#include "data/transport/frame.h"

#include <gmock/gmock.h>

#include <cstring>

namespace evener::data::transport {
namespace {

FrameHeader sample() {
  return {.kind = FrameKind::kData,
          .flags = kHasBodyChecksum,
          .feed = 0x01020304,
          .attempt = 5,
          .epoch = 3,
          .samples = 128,
          .batch = 417,
          .body_bytes = 19'267'584,
          .offset = 0x1122334455667788,
          .generation = 9,
          .body_checksum = 0xcafef00d};
}

std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    text += kDigits[std::to_integer<std::size_t>(byte >> 4)];
    text += kDigits[std::to_integer<std::size_t>(byte & std::byte{15})];
  }
  return text;
}

// Corrects the checksum of a header that a test changed.
void seal(HeaderBytes& bytes) {
  const std::uint32_t checksum = crc32c(std::span(bytes).first<60>());
  std::memcpy(bytes.data() + 60, &checksum, sizeof checksum);
}

TEST(Frame, HasTheBytesOfTheFormat) {
  EXPECT_EQ(hex(encode(sample())),
            "45564631" "01" "0a" "0100" "04030201" "05000000" "03000000" "80000000"
            "a101000000000000" "0000260100000000" "8877665544332211" "09000000" "00000000"
            "0df0feca" "9af40374");
}

TEST(Frame, ComesBackAsItWas) {
  const HeaderBytes bytes = encode(sample());
  auto header = decode(bytes, kMaxBodyBytes);
  ASSERT_TRUE(header.has_value()) << header.error().message;
  EXPECT_EQ(*header, sample());
}

TEST(Frame, EveryChangedBitIsSeen) {
  for (std::size_t bit = 0; bit < kHeaderBytes * 8; ++bit) {
    HeaderBytes bytes = encode(sample());
    bytes[bit / 8] ^= std::byte{1} << (bit % 8);
    EXPECT_FALSE(decode(bytes, kMaxBodyBytes).has_value()) << "bit " << bit;
  }
}

TEST(Frame, FieldsThatLieAreRefusedByName) {
  const auto refusal = [](std::size_t at, std::byte value) {
    HeaderBytes bytes = encode(sample());
    bytes[at] = value;
    seal(bytes);
    auto header = decode(bytes, kMaxBodyBytes);
    return header ? std::string("taken") : header.error().message;
  };
  EXPECT_THAT(refusal(0, std::byte{0}), testing::HasSubstr("EVF1"));
  EXPECT_THAT(refusal(4, std::byte{0}), testing::HasSubstr("version 0"));
  EXPECT_THAT(refusal(4, std::byte{2}), testing::HasSubstr("version 2"));
  EXPECT_THAT(refusal(5, std::byte{0}), testing::HasSubstr("kind 0"));
  EXPECT_THAT(refusal(5, std::byte{14}), testing::HasSubstr("kind 14"));
  EXPECT_THAT(refusal(6, std::byte{0}), testing::HasSubstr("without its flag"));
  EXPECT_THAT(refusal(7, std::byte{1}), testing::HasSubstr("unknown flags"));
  EXPECT_THAT(refusal(38, std::byte{1}), testing::HasSubstr("at most 8589934592"));
  EXPECT_THAT(refusal(52, std::byte{1}), testing::HasSubstr("reserved"));
}

TEST(Frame, FlagsBelongToTheirKinds) {
  EXPECT_FALSE(decode(encode({.kind = FrameKind::kAck, .flags = kInArena})).has_value());
  EXPECT_FALSE(decode(encode({.kind = FrameKind::kPing, .flags = kOnlyForUnit})).has_value());
  EXPECT_TRUE(decode(encode({.kind = FrameKind::kCredit, .flags = kOnlyForUnit})).has_value());
}

TEST(Frame, BodiesOverTheLimitAreRefused) {
  const FrameHeader header{.kind = FrameKind::kHello, .body_bytes = kMaxHelloBytes + 1};
  auto decoded = decode(encode(header), kMaxHelloBytes);
  ASSERT_FALSE(decoded.has_value());
  EXPECT_EQ(decoded.error().code, ErrorCode::kLimitExceeded);
}

TEST(Frame, ControlFramesArePadded) {
  EXPECT_EQ(frame_bytes({.kind = FrameKind::kPing}).size(), 64u);
  EXPECT_EQ(frame_bytes({.kind = FrameKind::kFeed}, "{}").size(), 128u);
  EXPECT_EQ(frame_bytes({.kind = FrameKind::kFeed}, std::string(64, ' ')).size(), 128u);
}

TEST(Frame, EveryKindHasItsName) {
  for (unsigned kind = 1; kind <= 13; ++kind)
    EXPECT_NE(to_string(static_cast<FrameKind>(kind)), "unknown") << kind;
}

TEST(Crc32c, GivesTheValuesOfTheStandard) {
  const auto of = [](const std::vector<unsigned char>& bytes) {
    return crc32c(std::as_bytes(std::span(bytes)));
  };
  EXPECT_EQ(of(std::vector<unsigned char>(32, 0)), 0x8a9136aau);
  EXPECT_EQ(of(std::vector<unsigned char>(32, 0xff)), 0x62a8ab43u);
  const std::string digits = "123456789";
  EXPECT_EQ(crc32c(std::as_bytes(std::span(digits))), 0xe3069283u);
  const auto all = std::as_bytes(std::span(digits));
  EXPECT_EQ(crc32c(all.subspan(4), crc32c(all.first(4))), 0xe3069283u);
}

}  // namespace
}  // namespace evener::data::transport
