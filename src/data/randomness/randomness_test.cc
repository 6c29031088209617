#include "data/randomness/randomness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace evener::data::randomness {
namespace {

// The known answers that Random123 publishes for philox4x32-10.
TEST(Philox, GivesThePublishedAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
            (Counter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (Counter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Counter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Draws, AreTheWordsOfTheirCounters) {
  Draws draws(0x299f31d0a4093822ull, 0x03707344, 0x13198a2e85a308d3ull);
  for (std::uint32_t block = 0; block < 3; ++block) {
    const Counter words =
        philox({block, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0});
    for (const std::uint32_t word : words) EXPECT_EQ(draws.bits(), word);
  }
}

TEST(Draws, OfOtherPositionsEpochsAndSeedsDiffer) {
  const std::uint32_t one = Draws(1, 2, 3).bits();
  EXPECT_NE(one, Draws(1, 2, 4).bits());
  EXPECT_NE(one, Draws(1, 3, 3).bits());
  EXPECT_NE(one, Draws(2, 2, 3).bits());
  EXPECT_NE(one, Draws(1, 2, 3 + (1ull << 32)).bits());
  EXPECT_EQ(one, Draws(1, 2, 3).bits());
}

TEST(Draws, StayInTheirRangeAndFillIt) {
  Draws draws(7, 0, 0);
  std::vector<int> counts(7);
  double sum = 0;
  constexpr int kMany = 70'000;
  for (int i = 0; i < kMany; ++i) {
    const double value = draws.between(-1, 3);
    ASSERT_GE(value, -1);
    ASSERT_LT(value, 3);
    sum += value;
    ++counts.at(draws.below(7));
  }
  EXPECT_NEAR(sum / kMany, 1.0, 0.02);
  for (const int count : counts) EXPECT_NEAR(count, kMany / 7, 500);
  EXPECT_EQ(draws.below(1), 0u);
}

void expect_each_once(const Permutation& permutation) {
  std::vector<bool> seen(permutation.size());
  for (std::uint64_t position = 0; position < permutation.size(); ++position) {
    const std::uint64_t sample = permutation(position);
    ASSERT_LT(sample, permutation.size());
    ASSERT_FALSE(seen[sample]) << "size " << permutation.size() << ", position " << position;
    seen[sample] = true;
  }
}

TEST(Permutation, OfAnySizeNamesEachSampleOnce) {
  for (std::uint64_t size = 1; size <= 600; ++size) expect_each_once(Permutation(size * 77, 3, size));
  for (const std::uint64_t size : {4095, 4096, 4097, 65'537, 100'003})
    for (const std::uint32_t epoch : {0u, 1u, 0xffffffffu})
      expect_each_once(Permutation(0x123456789abcdefull, epoch, size));
}

TEST(Permutation, OfVastSizesStaysInsideAndDoesNotRepeat) {
  for (const std::uint64_t size : {(1ull << 40) + 1, (1ull << 62) - 1, (1ull << 33) - 5}) {
    const Permutation permutation(5, 6, size);
    std::vector<std::uint64_t> found;
    for (std::uint64_t i = 0; i < 5000; ++i) found.push_back(permutation(size - 1 - i * (size / 5000)));
    std::ranges::sort(found);
    EXPECT_LT(found.back(), size);
    EXPECT_EQ(std::ranges::adjacent_find(found), found.end());
  }
}

TEST(Permutation, OfOtherEpochsAndSeedsDiffers) {
  const Permutation one(1, 0, 1000);
  for (const Permutation& other : {Permutation(1, 1, 1000), Permutation(2, 0, 1000)}) {
    int same = 0;
    for (std::uint64_t i = 0; i < 1000; ++i) same += one(i) == other(i);
    EXPECT_LT(same, 12);   // one is expected
  }
}

// Every place is as likely for a sample: chi-squared over 16 places of 16 samples and 4,096 epochs.
TEST(Permutation, PutsASampleAnywhere) {
  constexpr std::uint64_t kSize = 16;
  constexpr int kEpochs = 4096;
  std::vector<int> counts(kSize * kSize);
  for (std::uint32_t epoch = 0; epoch < kEpochs; ++epoch) {
    const Permutation permutation(42, epoch, kSize);
    for (std::uint64_t i = 0; i < kSize; ++i) ++counts[i * kSize + permutation(i)];
  }
  const double expected = static_cast<double>(kEpochs) / kSize;
  double chi = 0;
  for (const int count : counts) chi += (count - expected) * (count - expected) / expected;
  EXPECT_LT(chi, 225 + 5 * std::sqrt(2 * 225.0));   // 15 x 15 degrees of freedom
}

// The order is part of the promise: it outlives a program.
TEST(Permutation, IsAlwaysTheSame) {
  const Permutation permutation(17, 2, 10);
  std::vector<std::uint64_t> order;
  for (std::uint64_t i = 0; i < 10; ++i) order.push_back(permutation(i));
  EXPECT_EQ(order, (std::vector<std::uint64_t>{3, 0, 4, 6, 5, 1, 8, 9, 2, 7}));
}

}  // namespace
}  // namespace evener::data::randomness
