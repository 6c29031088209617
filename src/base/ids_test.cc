#include "base/ids.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace evener {
namespace {

TEST(Ids, SameSeedGivesTheSameSuffixOnEveryPlatform) {
  SeededRandom random(42);
  EXPECT_EQ(random.next(), 13930160852258120406ull);
  SeededRandom first(7);
  SeededRandom second(7);
  EXPECT_EQ(random_suffix(first, 12), random_suffix(second, 12));
}

TEST(Ids, SuffixHasItsLengthAndAlphabet) {
  SystemRandom random;
  std::set<std::string> seen;
  for (int i = 0; i < 200; ++i) {
    const std::string suffix = random_suffix(random, 12);
    EXPECT_EQ(suffix.size(), 12u);
    EXPECT_TRUE(std::ranges::all_of(suffix, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    })) << suffix;
    seen.insert(suffix);
  }
  EXPECT_EQ(seen.size(), 200u);
  EXPECT_EQ(random_suffix(random, 0), "");
}

TEST(Ids, BelowStaysBelow) {
  SeededRandom random(1);
  for (int i = 0; i < 1000; ++i) EXPECT_LT(random.below(3), 3u);
}

TEST(Ids, ArnHasTheJobNameInLowerCase) {
  EXPECT_EQ(training_job_arn("eu-west-1", "000000000000", "My-Job-1"),
            "arn:aws:sagemaker:eu-west-1:000000000000:training-job/my-job-1");
}

}  // namespace
}  // namespace evener
