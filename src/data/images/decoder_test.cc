#include <gtest/gtest.h>

#include "data/images/fixtures_test.h"

namespace evener::data::images {
namespace {

Facts facts_of(const Bytes& file, Orientation orientation = Orientation::kUpright) {
  const auto facts = probe(file, orientation);
  EXPECT_TRUE(facts.has_value()) << facts.error().message;
  return facts.value_or(Facts{});
}

// The same part of every file: the turned ones are 47 wide and 61 high.
Transform golden_transform(const Facts& facts) {
  const bool upright = facts.size.width > facts.size.height;
  return plain_transform(upright ? Crop{7, 5, 41, 33} : Crop{5, 7, 33, 41}, {24, 20});
}

TEST(Decoder, EveryKindOfFileIsWhatPillowMakesOfIt) {
  Decoder decoder;
  for (const std::string& name : fixture_names()) {
    const Bytes file = read_fixture(name);
    const Facts facts = facts_of(file);
    const Transform transform = golden_transform(facts);
    const Made made = make(decoder, file, facts, transform);
    ASSERT_TRUE(made.status) << name << ": " << made.status.error().message;
    EXPECT_GE(psnr_db(made.pixels, read_fixture(name + ".rgb"), transform), 50) << name;
  }
}

TEST(Decoder, AnEnlargedCropIsWhatPillowMakesOfIt) {
  Decoder decoder;
  const Bytes file = read_fixture("base_420.jpg");
  const Transform transform = plain_transform({20, 11, 15, 12}, {40, 36});
  const Made made = make(decoder, file, facts_of(file), transform);
  ASSERT_TRUE(made.status);
  EXPECT_GE(psnr_db(made.pixels, read_fixture("enlarged.rgb"), transform), 50);
}

TEST(Decoder, AMuchLargerCropIsDecodedShrunkAndWhatPillowMakesOfIt) {
  Decoder decoder;
  const Bytes file = read_fixture("large/texture.jpg");
  const Transform shrunk = plain_transform({10, 6, 450, 360}, {48, 40});
  const Made made = make(decoder, file, facts_of(file), shrunk);
  ASSERT_TRUE(made.status) << made.status.error().message;
  EXPECT_GE(psnr_db(made.pixels, read_fixture("large/shrunk.rgb"), shrunk), 50);
  const Transform halved = plain_transform({33, 21, 200, 180}, {100, 90});
  EXPECT_GE(psnr_db(make(decoder, file, facts_of(file), halved).pixels,
                    read_fixture("large/halved.rgb"), halved), 50);
}

TEST(Decoder, ACropOfALargeImageHasThePixelsOfTheWhole) {
  Decoder decoder;
  Choices choices(4);
  const Bytes file = read_fixture("large/texture.jpg");
  const Facts facts = facts_of(file);
  for (int i = 0; i < 20; ++i) {
    const Crop crop = choices.crop_of(facts.size);
    const Transform transform = plain_transform(crop, {crop.width, crop.height});
    const Made fast = make(decoder, file, facts, transform);
    ASSERT_TRUE(fast.status) << fast.status.error().message;
    ASSERT_EQ(fast.pixels, make_slowly(file, facts, transform).pixels)
        << crop.width << "x" << crop.height << "+" << crop.x << "+" << crop.y;
  }
}

// Without a resize the pixels of a crop are those of the whole image: what is not decoded around
// it is not missed.
TEST(Decoder, ACropHasThePixelsOfTheWholeImage) {
  Decoder decoder;
  Choices choices(3);
  for (const std::string& name : fixture_names()) {
    const Bytes file = read_fixture(name);
    const Facts facts = facts_of(file);
    for (int i = 0; i < 60; ++i) {
      const Crop crop = choices.crop_of(facts.size);
      const Transform transform = plain_transform(crop, {crop.width, crop.height});
      const Made fast = make(decoder, file, facts, transform);
      ASSERT_TRUE(fast.status) << fast.status.error().message;
      ASSERT_EQ(fast.pixels, make_slowly(file, facts, transform).pixels)
          << name << " " << crop.width << "x" << crop.height << "+" << crop.x << "+" << crop.y;
    }
  }
}

Transform any_transform(Choices& choices, const Facts& facts) {
  Transform transform{.region = region_of(choices.crop_of(facts.size)),
                      .out = {choices.between(1, 70), choices.between(1, 40)},
                      .flip = choices.between(0, 1) == 0 ? Flip::kNone : Flip::kHorizontal,
                      .mean = {0.485f, 0.456f, 0.406f},
                      .std = {0.229f, 0.224f, 0.225f},
                      .format = static_cast<PixelFormat>(choices.between(0, 2))};
  if (choices.between(0, 2) == 0) {
    transform.jitter = {.brightness = choices.part(0.5f, 1.5f),
                        .contrast = choices.part(0.5f, 1.5f),
                        .saturation = choices.part(0.5f, 1.5f),
                        .hue = choices.part(-0.5f, 0.5f)};
    std::swap(transform.jitter->order[0],
              transform.jitter->order[static_cast<std::size_t>(choices.between(0, 3))]);
  }
  return transform;
}

TEST(Decoder, PlainAndVectorCodeGiveTheSameBits) {
  Decoder best;
  Decoder plain({.instructions = Instructions::kPlain});
  Choices choices(11);
  const std::vector<std::string> names = fixture_names();
  for (int i = 0; i < 800; ++i) {
    const std::string& name = names[static_cast<std::size_t>(i) % names.size()];
    const Bytes file = read_fixture(name);
    Facts facts = facts_of(file);
    const Transform transform = any_transform(choices, facts);
    const Made made = make(best, file, facts, transform);
    ASSERT_TRUE(made.status) << name << ": " << made.status.error().message;
    ASSERT_EQ(made.pixels, make(plain, file, facts, transform).pixels) << name << " round " << i;
  }
}

TEST(Decoder, EveryTransformIsNearTheSlowReference) {
  Decoder decoder;
  Choices choices(12);
  const Bytes file = read_fixture("base_420.jpg");
  for (int i = 0; i < 400; ++i) {
    Facts facts = facts_of(file);
    facts.turn = i % 8 + 1;
    if (facts.turn >= 5) std::swap(facts.size.width, facts.size.height);
    Transform transform = any_transform(choices, facts);
    transform.out = {choices.between(8, 70), choices.between(8, 40)};  // no shrinking decode
    // A turn of the hue has no size where a pixel is all but gray; it is tested on its own.
    if (transform.jitter) transform.jitter->hue = 0;
    const Made made = make(decoder, file, facts, transform);
    ASSERT_TRUE(made.status) << made.status.error().message;
    const Made slow = make_slowly(file, facts, transform);
    ASSERT_GE(psnr_db(made.pixels, slow.pixels, transform), 50)
        << "turn " << facts.turn << " round " << i;
  }
}

TEST(Decoder, ATurnOfTheHueIsNearTheSlowReference) {
  Decoder decoder;
  const Bytes file = read_fixture("rgb.png");
  for (const float hue : {-0.5f, -0.1f, 0.05f, 0.3f, 0.5f}) {
    Transform transform = golden_transform(facts_of(file));
    transform.jitter = Jitter{.hue = hue};
    const Made made = make(decoder, file, facts_of(file), transform);
    const Made slow = make_slowly(file, facts_of(file), transform);
    EXPECT_GE(psnr_db(made.pixels, slow.pixels, transform), 50) << hue;
  }
}

TEST(Decoder, TheOrderOfJitterCounts) {
  Decoder decoder;
  const Bytes file = read_fixture("rgb.png");
  Transform transform = golden_transform(facts_of(file));
  transform.jitter = Jitter{.brightness = 1.9f, .saturation = 0.2f};
  const Made first = make(decoder, file, facts_of(file), transform);
  std::swap(transform.jitter->order[0], transform.jitter->order[2]);
  EXPECT_NE(make(decoder, file, facts_of(file), transform).pixels, first.pixels);
}

TEST(Decoder, ACentreCropAfterAResizeSeesBeyondItsEdge) {
  Decoder decoder;
  for (const char* name : {"base_420.jpg", "rgb.png", "lossy.webp"}) {
    const Bytes file = read_fixture(name);
    const Facts facts = facts_of(file);
    Transform transform = plain_transform({}, {16, 16});
    transform.region = center_crop(facts.size, {.resize = 20, .out = {16, 16}});
    const Made made = make(decoder, file, facts, transform);
    ASSERT_TRUE(made.status) << made.status.error().message;
    EXPECT_GE(psnr_db(made.pixels, make_slowly(file, facts, transform).pixels, transform), 50);
  }
}

TEST(Decoder, ACropOutsideOfTheImageIsRefused) {
  Decoder decoder;
  const Bytes file = read_fixture("rgb.png");
  const Facts facts = facts_of(file);
  for (const Crop& crop : {Crop{0, 0, 62, 47}, Crop{-1, 0, 5, 5}, Crop{60, 46, 2, 1}, Crop{}}) {
    const Made made = make(decoder, file, facts, plain_transform(crop, {4, 4}));
    ASSERT_FALSE(made.status);
    EXPECT_EQ(made.status.error().code, ErrorCode::kInvalidArgument);
  }
  Bytes small(3);
  EXPECT_EQ(decoder.decode(file, facts, plain_transform({0, 0, 4, 4}, {4, 4}), small).error().code,
            ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace evener::data::images
