#include "base/near_miss.h"

namespace evener {
namespace {

TEST(NearMiss, CountsTheEditsBetweenTwoWords) {
  EXPECT_EQ(edit_distance("data_group", "data_group"), 0u);
  EXPECT_EQ(edit_distance("data_grup", "data_group"), 1u);
  EXPECT_EQ(edit_distance("shraded", "sharded"), 1u);
  EXPECT_EQ(edit_distance("Epochs", "epoch"), 1u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
}

TEST(NearMiss, FindsTheClosestWordAndNothingForAStranger) {
  EXPECT_EQ(near_miss("tran.py", {"test.py", "train.py"}), "train.py");
  EXPECT_EQ(near_miss("zebra", {"test.py", "train.py"}), "");
  EXPECT_EQ(near_miss("x", {"y"}), "y");
  EXPECT_EQ(did_you_mean("HyperParameter", {"HyperParameters"}),
            "; did you mean 'HyperParameters'?");
  EXPECT_EQ(did_you_mean(std::string(5000, 'a'), {"a"}), "");
  EXPECT_EQ(did_you_mean("train"), "; did you mean 'train'?");
  EXPECT_EQ(did_you_mean(""), "");
}

}  // namespace
}  // namespace evener
