#include <gtest/gtest.h>

#include <map>

#include "data/images/fixtures_test.h"

namespace evener::data::images {
namespace {

Bytes bytes_of_text(std::string_view text) {
  Bytes bytes(text.size());
  std::transform(text.begin(), text.end(), bytes.begin(),
                 [](char c) { return static_cast<std::byte>(c); });
  return bytes;
}

void set(Bytes& bytes, std::size_t at, unsigned value) {
  bytes.at(at) = static_cast<std::byte>(value);
}

// Where the height stands in a JPEG's frame header.
std::size_t frame_size_at(const Bytes& jpeg) {
  for (std::size_t i = 2; i + 9 < jpeg.size(); ++i) {
    const auto marker = std::to_integer<unsigned>(jpeg[i + 1]);
    if (jpeg[i] == std::byte{0xff} && (marker == 0xc0 || marker == 0xc2)) return i + 5;
  }
  return 0;
}

TEST(Probe, KindSizeAndDepthComeFromTheContent) {
  const std::map<std::string, Facts> known = {
      {"base_420.jpg", {FileFormat::kJpeg, {61, 47}, 3, 8, 1}},
      {"progressive.jpg", {FileFormat::kJpeg, {61, 47}, 3, 8, 1}},
      {"gray.jpg", {FileFormat::kJpeg, {61, 47}, 1, 8, 1}},
      {"cmyk.jpg", {FileFormat::kJpeg, {61, 47}, 4, 8, 1}},
      {"turned.jpg", {FileFormat::kJpeg, {47, 61}, 3, 8, 6}},
      {"rgb.png", {FileFormat::kPng, {61, 47}, 3, 8, 1}},
      {"alpha.png", {FileFormat::kPng, {61, 47}, 4, 8, 1}},
      {"deep.png", {FileFormat::kPng, {61, 47}, 3, 16, 1}},
      {"bits.png", {FileFormat::kPng, {61, 47}, 1, 1, 1}},
      {"lossy.webp", {FileFormat::kWebp, {61, 47}, 3, 8, 1}},
      {"lossless.webp", {FileFormat::kWebp, {61, 47}, 4, 8, 1}},
      {"alpha.webp", {FileFormat::kWebp, {61, 47}, 4, 8, 1}},
      {"turned.webp", {FileFormat::kWebp, {47, 61}, 3, 8, 6}},
  };
  for (const auto& [name, facts] : known) {
    const auto seen = probe(read_fixture(name), Orientation::kUpright);
    ASSERT_TRUE(seen.has_value()) << name << ": " << seen.error().message;
    EXPECT_TRUE(*seen == facts) << name << ": " << seen->size.width << "x" << seen->size.height
                                << " channels " << seen->channels << " bits " << seen->bits
                                << " turn " << seen->turn;
  }
}

TEST(Probe, AnImageAsStoredIsNotTurned) {
  const auto facts = probe(read_fixture("turned.jpg"), Orientation::kAsStored);
  ASSERT_TRUE(facts.has_value());
  EXPECT_EQ(facts->turn, 1);
  EXPECT_EQ(facts->size, (Size{61, 47}));
}

TEST(Probe, WhatIsNoImageOfOursIsNamed) {
  const auto code_and_text = [](std::string_view text) {
    const auto facts = probe(bytes_of_text(text), Orientation::kUpright);
    return facts ? "read" : std::string(to_string(facts.error().code)) + ": " + facts.error().message;
  };
  EXPECT_EQ(code_and_text(""), std::string(to_string(ErrorCode::kCorrupt)) + ": the file is empty");
  EXPECT_NE(code_and_text("GIF89a....").find("(GIF?)"), std::string::npos);
  EXPECT_NE(code_and_text("<html>").find("(text?)"), std::string::npos);
  EXPECT_NE(code_and_text(std::string(16, '\0')).find("neither JPEG, PNG nor WebP"),
            std::string::npos);
  EXPECT_NE(code_and_text("\xff\xd8\xff").find("truncated"), std::string::npos);
}

TEST(Probe, LimitsAreNamed) {
  const Bytes file = read_fixture("rgb.png");
  const auto large = probe(file, Orientation::kUpright, {.max_bytes = 100});
  ASSERT_FALSE(large.has_value());
  EXPECT_EQ(large.error().code, ErrorCode::kLimitExceeded);
  EXPECT_NE(large.error().message.find("max_bytes is 100"), std::string::npos);
  const auto wide = probe(file, Orientation::kUpright, {.max_pixels = 1000});
  ASSERT_FALSE(wide.has_value());
  EXPECT_NE(wide.error().message.find("61x47 pixels; max_pixels is 1000"), std::string::npos);
}

TEST(Probe, AnImageWithoutPixelsIsCorrupt) {
  Bytes png = read_fixture("rgb.png");
  for (std::size_t i = 16; i < 20; ++i) set(png, i, 0);
  EXPECT_EQ(probe(png, Orientation::kUpright).error().code, ErrorCode::kCorrupt);
}

TEST(Probe, AnAnimationIsUnsupported) {
  Bytes webp = read_fixture("alpha.webp");
  set(webp, 20, 0x12);
  const auto facts = probe(webp, Orientation::kUpright);
  ASSERT_FALSE(facts.has_value());
  EXPECT_EQ(facts.error().code, ErrorCode::kUnsupported);
}

// A header that lies about the size costs no memory before it is found out.
TEST(Probe, AProgressiveFileThatNeedsTooMuchMemoryIsRefusedByName) {
  Bytes jpeg = read_fixture("progressive.jpg");
  const std::size_t at = frame_size_at(jpeg);
  for (const std::size_t i : {at, at + 2}) {  // 20,000 = 0x4e20
    set(jpeg, i, 0x4e);
    set(jpeg, i + 1, 0x20);
  }
  const auto facts = probe(jpeg, Orientation::kUpright);
  ASSERT_TRUE(facts.has_value());
  EXPECT_EQ(facts->size, (Size{20'000, 20'000}));
  Decoder decoder;
  const Made made = make(decoder, jpeg, *facts, plain_transform({0, 0, 500, 500}, {8, 8}));
  ASSERT_FALSE(made.status);
  EXPECT_EQ(made.status.error().code, ErrorCode::kLimitExceeded);
  EXPECT_NE(made.status.error().message.find("max_decoder_bytes"), std::string::npos);
}

TEST(Probe, EnumsHaveNamesBothWays) {
  for (const auto format : {FileFormat::kJpeg, FileFormat::kPng, FileFormat::kWebp}) {
    EXPECT_EQ(file_format_from(to_string(format)), format);
  }
  for (const auto one : {Orientation::kAsStored, Orientation::kUpright}) {
    EXPECT_EQ(orientation_from(to_string(one)), one);
  }
  for (const auto one : {PixelFormat::kU8Hwc, PixelFormat::kF32Chw, PixelFormat::kF16Chw}) {
    EXPECT_EQ(pixel_format_from(to_string(one)), one);
  }
  for (const auto one : {Flip::kNone, Flip::kHorizontal}) {
    EXPECT_EQ(flip_from(to_string(one)), one);
  }
  for (const auto one : {JitterStep::kBrightness, JitterStep::kContrast, JitterStep::kSaturation,
                         JitterStep::kHue}) {
    EXPECT_EQ(jitter_step_from(to_string(one)), one);
  }
  EXPECT_EQ(flip_from("sideways"), std::nullopt);
}

}  // namespace
}  // namespace evener::data::images
