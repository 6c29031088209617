#include "data/images/weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "data/images/half.h"

namespace evener::data::images {
namespace {

TEST(Weights, OfEveryOutputSumToOneWithinTheInput) {
  std::mt19937 random(8);
  for (int round = 0; round < 500; ++round) {
    const int pixels = 1 + static_cast<int>(random() % 3'000);
    const int out = 1 + static_cast<int>(random() % 300);
    const int first = static_cast<int>(random() % 5);
    const Axis axis{first + 0.25, pixels - 0.25, first, first + pixels, out};
    Weights weights;
    make_weights(axis, Direction::kForward, {.taps = 4, .outputs = 8}, weights);
    ASSERT_EQ(weights.taps % 4, 0);
    ASSERT_EQ(weights.starts.size() % 8, 0u);
    for (int i = 0; i < out; ++i) {
      int sum = 0;
      for (int k = 0; k < weights.taps; ++k) {
        const int value = weights.values[static_cast<std::size_t>(i * weights.taps + k)];
        const int at = weights.starts[static_cast<std::size_t>(i)] + k;
        ASSERT_GE(value, 0);
        ASSERT_TRUE(value == 0 || (at >= axis.first && at < axis.last));
        sum += value;
      }
      ASSERT_EQ(sum, kWeightOne) << pixels << " to " << out << " at " << i;
    }
  }
}

TEST(Weights, HalvingLooksAtFourPixelsLikePillow) {
  Weights weights;
  make_weights({0, 8, 0, 8, 4}, Direction::kForward, {}, weights);
  ASSERT_EQ(weights.taps, 5);
  EXPECT_EQ(weights.starts, (std::vector<std::int32_t>{0, 1, 3, 5}));
  const std::vector<std::int16_t> inner(weights.values.begin() + 5, weights.values.begin() + 10);
  EXPECT_EQ(inner, (std::vector<std::int16_t>{2048, 6144, 6144, 2048, 0}));
}

TEST(Weights, MirroredAreTheSameFromTheOtherEnd) {
  Weights forward;
  Weights mirrored;
  const Axis axis{2, 31, 2, 33, 13};
  make_weights(axis, Direction::kForward, {}, forward);
  make_weights(axis, Direction::kMirrored, {}, mirrored);
  for (std::size_t i = 0; i < 13; ++i) EXPECT_EQ(forward.starts[i], mirrored.starts[12 - i]);
}

TEST(Half, EveryHalfComesBackFromAFloat) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = float_of(half);
    if (std::isnan(value)) {
      EXPECT_EQ(half_of(value) & 0x7c00, 0x7c00);
    } else {
      ASSERT_EQ(half_of(value), half);
    }
  }
}

TEST(Half, WhatLiesBetweenGoesToTheNearestAndToEvenAtATie) {
  EXPECT_EQ(half_of(1.0f + 0x1p-11f), 0x3c00);
  EXPECT_EQ(half_of(1.0f + 3 * 0x1p-11f), 0x3c02);
  EXPECT_EQ(half_of(1.0f + 0x1p-11f + 0x1p-20f), 0x3c01);
  EXPECT_EQ(half_of(0x1p-25f), 0x0000);
  EXPECT_EQ(half_of(3 * 0x1p-25f), 0x0002);
  EXPECT_EQ(half_of(65'519.0f), 0x7bff);
  EXPECT_EQ(half_of(65'520.0f), 0x7c00);
  EXPECT_EQ(half_of(-std::numeric_limits<float>::infinity()), 0xfc00);
}

}  // namespace
}  // namespace evener::data::images
