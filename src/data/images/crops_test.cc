#include "data/images/crops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

namespace evener::data::images {
namespace {

using Draws = std::array<double, kCropDraws>;

Draws draws_of(std::mt19937& random) {
  Draws draws;
  for (double& draw : draws) draw = static_cast<double>(random()) / 4294967296.0;
  return draws;
}

TEST(Crops, ARandomCropLiesWithinTheImageWithAnAllowedAreaAndRatio) {
  std::mt19937 random(5);
  const RandomResizedCrop options;
  double area = 0;
  for (int i = 0; i < 4'000; ++i) {
    const Size image{500, 375};
    const Crop crop = random_resized_crop(image, options, draws_of(random));
    ASSERT_GE(crop.x, 0);
    ASSERT_GE(crop.y, 0);
    ASSERT_LE(crop.x + crop.width, image.width);
    ASSERT_LE(crop.y + crop.height, image.height);
    const double ratio = static_cast<double>(crop.width) / crop.height;
    ASSERT_NEAR(std::clamp(ratio, 0.745, 1.342), ratio, 1e-9);
    area += static_cast<double>(crop.width) * crop.height / (500.0 * 375);
  }
  EXPECT_NEAR(area / 4'000, 0.433, 0.01);  // torchvision's mean for this size
}

TEST(Crops, TheFirstTryThatFitsIsTaken) {
  Draws draws{};
  draws[0] = 0.5;   // 0.54 of the area
  draws[1] = 0.5;   // square
  draws[20] = 0.999;
  draws[21] = 0.0;
  EXPECT_EQ(random_resized_crop({400, 300}, {}, draws), (Crop{0, 45, 255, 255}));
}

TEST(Crops, WhenNothingFitsTheMiddleIsTakenWithTheNearestAllowedRatio) {
  Draws draws;
  draws.fill(0.999);
  EXPECT_EQ(random_resized_crop({1000, 100}, {}, draws), (Crop{433, 0, 133, 100}));
  EXPECT_EQ(random_resized_crop({100, 1000}, {}, draws), (Crop{0, 433, 100, 133}));
  EXPECT_EQ(random_resized_crop({1, 1}, {}, draws), (Crop{0, 0, 1, 1}));
}

TEST(Crops, ACentreCropAfterAResizeIsABoxOfTheOriginalWithItsSurroundings) {
  const Region region = center_crop({500, 375}, {.resize = 256, .out = {224, 224}});
  EXPECT_EQ(region.pixels, (Crop{0, 0, 500, 375}));
  EXPECT_DOUBLE_EQ(region.x, 58 * 500.0 / 341);  // round(58.5) is 58 in Python
  EXPECT_DOUBLE_EQ(region.width, 224 * 500.0 / 341);
  EXPECT_DOUBLE_EQ(region.y, 16 * 375.0 / 256);
  EXPECT_DOUBLE_EQ(region.height, 224 * 375.0 / 256);
}

TEST(Crops, ACentreCropWithoutResizeTakesWholePixels) {
  EXPECT_EQ(center_crop({10, 8}, {.out = {4, 5}}), region_of({3, 2, 4, 5}));
  EXPECT_EQ(center_crop({10, 3}, {.out = {4, 4}}), region_of({3, 0, 4, 3}));
}

}  // namespace
}  // namespace evener::data::images
