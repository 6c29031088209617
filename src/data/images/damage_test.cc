// Files that lie, and files that were cut or changed: the right pixels or a clear error, and never
// a crash; the decoder goes on with the next file.
#include <gtest/gtest.h>

#include "data/images/fixtures_test.h"

namespace evener::data::images {
namespace {

Status decode_whole(Decoder& decoder, const Bytes& file, Bytes& pixels, Size out = {24, 20}) {
  const auto facts = probe(file, Orientation::kUpright);
  if (!facts) return tl::unexpected<Error>(facts.error());
  Transform transform = plain_transform({}, out);
  transform.region = whole_image(facts->size);
  pixels.assign(bytes_of(out, transform.format), std::byte{});
  return decoder.decode(file, *facts, transform, pixels);
}

TEST(Damage, ATruncatedFileIsAnErrorOrHasTheSamePixels) {
  Decoder decoder;
  for (const std::string& name : fixture_names()) {
    const Bytes file = read_fixture(name);
    Bytes whole;
    ASSERT_TRUE(decode_whole(decoder, file, whole)) << name;
    for (std::size_t length = 0; length < file.size(); length += 1 + length / 40) {
      const Bytes cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(length));
      Bytes pixels;
      const Status status = decode_whole(decoder, cut, pixels);
      if (status) {
        EXPECT_EQ(pixels, whole) << name << " cut to " << length << " of " << file.size();
      } else {
        EXPECT_NE(status.error().code, ErrorCode::kInternal) << status.error().message;
      }
    }
    Bytes again;
    ASSERT_TRUE(decode_whole(decoder, file, again)) << name;
    EXPECT_EQ(again, whole);
  }
}

TEST(Damage, AJpegThatLacksOnlyItsEndMarkerIsRead) {
  Decoder decoder;
  Bytes file = read_fixture("base_420.jpg");
  Bytes whole;
  ASSERT_TRUE(decode_whole(decoder, file, whole));
  file.resize(file.size() - 2);
  Bytes pixels;
  const Status status = decode_whole(decoder, file, pixels);
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_EQ(pixels, whole);
}

TEST(Damage, ATruncatedJpegSaysSo) {
  Decoder decoder;
  for (const char* name : {"base_420.jpg", "progressive.jpg", "cmyk.jpg"}) {
    Bytes file = read_fixture(name);
    file.resize(file.size() * 3 / 4);
    Bytes pixels;
    const Status status = decode_whole(decoder, file, pixels);
    ASSERT_FALSE(status) << name;
    EXPECT_EQ(status.error().code, ErrorCode::kCorrupt);
    EXPECT_NE(status.error().message.find("truncated"), std::string::npos)
        << status.error().message;
  }
}

TEST(Damage, ASmallCropOfATruncatedFileIsRightWhereItsPixelsAreThere) {
  Decoder decoder;
  Bytes file = read_fixture("base_420.jpg");
  const auto facts = probe(file, Orientation::kUpright);
  ASSERT_TRUE(facts.has_value());
  const Transform transform = plain_transform({3, 2, 20, 9}, {20, 9});
  const Made whole = make(decoder, file, *facts, transform);
  file.resize(file.size() - 100);
  const Made cut = make(decoder, file, *facts, transform);
  ASSERT_TRUE(cut.status) << cut.status.error().message;
  EXPECT_EQ(cut.pixels, whole.pixels);
}

TEST(Damage, FactsOfAnotherFileAreRefused) {
  Decoder decoder;
  for (const char* name : {"rgb.png", "base_420.jpg", "lossy.webp"}) {
    const Bytes file = read_fixture(name);
    auto facts = probe(file, Orientation::kUpright);
    ASSERT_TRUE(facts.has_value());
    facts->size = {30, 30};
    const Made made = make(decoder, file, *facts, plain_transform({0, 0, 30, 30}, {4, 4}));
    ASSERT_FALSE(made.status);
    EXPECT_EQ(made.status.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(Damage, OnePixelFillsAnOutput) {
  Decoder decoder;
  const Bytes file = read_fixture("rgb.png");
  const auto facts = probe(file, Orientation::kUpright);
  ASSERT_TRUE(facts.has_value());
  const Made one = make(decoder, file, *facts, plain_transform({60, 46, 1, 1}, {1, 1}));
  const Made many = make(decoder, file, *facts, plain_transform({60, 46, 1, 1}, {33, 7}));
  ASSERT_TRUE(one.status && many.status);
  for (std::size_t i = 0; i < many.pixels.size(); ++i) {
    ASSERT_EQ(many.pixels[i], one.pixels[i % 3]);
  }
}

TEST(Damage, AHugeImageIsReadRowByRow) {
  Decoder decoder({.limits = {.max_decoder_bytes = 1u << 20}});
  const Bytes file = read_fixture("huge/stripes.png");
  const auto facts = probe(file, Orientation::kUpright);
  ASSERT_TRUE(facts.has_value());
  ASSERT_EQ(facts->size, (Size{20'000, 20'000}));
  const Made made = make(decoder, file, *facts, plain_transform({19'990, 8, 8, 16}, {8, 16}));
  ASSERT_TRUE(made.status) << made.status.error().message;
  for (std::size_t i = 0; i < made.pixels.size(); ++i) {
    const std::size_t x = i / 3 % 8;
    const bool white = i / 24 < 8 || (x + 19'990) % 8 >= 4;
    ASSERT_EQ(made.pixels[i], white ? std::byte{255} : std::byte{0}) << "x " << x;
  }
}

TEST(Damage, AnImageBeyondTheLimitOfPixelsIsRefused) {
  const auto facts = probe(read_fixture("huge/stripes.png"), Orientation::kUpright,
                           {.max_pixels = 399'999'999});
  ASSERT_FALSE(facts.has_value());
  EXPECT_EQ(facts.error().code, ErrorCode::kLimitExceeded);
}

std::vector<std::size_t> scans_of(const Bytes& jpeg) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i + 1 < jpeg.size(); ++i) {
    if (jpeg[i] == std::byte{0xff} && jpeg[i + 1] == std::byte{0xda}) places.push_back(i);
  }
  return places;
}

TEST(Damage, AProgressiveFileThatRepeatsScansIsGivenUp) {
  Decoder decoder;
  const Bytes file = read_fixture("progressive.jpg");
  const auto first = file.begin() + static_cast<std::ptrdiff_t>(scans_of(file).at(0));
  auto end = first + 2;            // of the scan: the next marker, but no 0xff 0x00 in its data
  while (*end != std::byte{0xff} || end[1] == std::byte{0}) ++end;
  Bytes bomb(file.begin(), end);
  for (int i = 0; i < 600; ++i) bomb.insert(bomb.end(), first, end);
  bomb.insert(bomb.end(), end, file.end());
  Bytes pixels;
  const Status status = decode_whole(decoder, bomb, pixels);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kLimitExceeded);
  EXPECT_NE(status.error().message.find("scans"), std::string::npos) << status.error().message;
}

TEST(Damage, WhatADecoderHoldsAtOnceIsLimited) {
  Decoder decoder({.limits = {.max_decoder_bytes = 2'000}});
  for (const char* name : {"progressive.jpg", "interlaced.png", "lossless.webp"}) {
    Bytes pixels;
    const Status status = decode_whole(decoder, read_fixture(name), pixels);
    ASSERT_FALSE(status) << name;
    EXPECT_EQ(status.error().code, ErrorCode::kLimitExceeded) << status.error().message;
  }
}

Bytes mutated(Bytes file, std::mt19937& random) {
  for (auto change = random() % 6 + 1; change > 0 && !file.empty(); --change) {
    const std::size_t at = random() % file.size();
    const auto place = file.begin() + static_cast<std::ptrdiff_t>(at);
    switch (random() % 5) {
      case 0: *place = static_cast<std::byte>(random()); break;
      case 1: *place ^= static_cast<std::byte>(1u << random() % 8); break;
      case 2: file.insert(place, random() % 4 + 1, static_cast<std::byte>(random())); break;
      case 3: file.erase(place, place + static_cast<std::ptrdiff_t>(
                                            std::min<std::size_t>(random() % 5, file.size() - at)));
              break;
      default: *place = random() % 2 == 0 ? std::byte{0xff} : std::byte{0}; break;
    }
  }
  return file;
}

TEST(Damage, ChangedBytesNeverCrashProbeOrDecode) {
  // Sizes in changed headers are believed up to these, so that a round stays short.
  const Limits limits{.max_pixels = 4u << 20, .max_decoder_bytes = 32u << 20};
  Decoder decoder({.limits = limits});
  std::mt19937 random(17);
  int read = 0;
  for (int round = 0; round < 60; ++round) {
    for (const std::string& name : fixture_names()) {
      const Bytes file = mutated(read_fixture(name), random);
      const auto facts = probe(file, Orientation::kUpright, limits);
      if (!facts) continue;
      Transform transform = plain_transform({}, {9, 7});
      transform.region = whole_image(facts->size);
      const Made made = make(decoder, file, *facts, transform);
      read += made.status ? 1 : 0;
      EXPECT_TRUE(made.status || !made.status.error().message.empty());
    }
  }
  EXPECT_GT(read, 0);
}

}  // namespace
}  // namespace evener::data::images
