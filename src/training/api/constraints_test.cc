#include "training/api/constraints.h"

#include "training/api/constraint_table.h"
#include "training/api/pattern.h"

namespace evener::api {
namespace {

using namespace model;  // NOLINT(google-build-using-namespace)

TEST(Constraints, HaveOnlyPatternsThatAreSupported) {
  for (const ShapeRow& shape : kShapes)
    EXPECT_TRUE(is_supported_pattern(shape.pattern)) << shape.pattern;
}

TEST(Constraints, PointOnlyAtRowsThatExist) {
  for (const ShapeRow& shape : kShapes) {
    EXPECT_LE(shape.first_member + shape.member_count, std::size(kMembers));
    EXPECT_LE(shape.first_word + shape.word_count, std::size(kWords));
    EXPECT_LT(shape.key, std::size(kShapes));
    EXPECT_LT(shape.element, std::size(kShapes));
    const bool both = shape.min != kNoLimit && shape.max != kNoLimit;
    EXPECT_TRUE(!both || shape.min <= shape.max);
  }
  for (const MemberRow& member : kMembers) EXPECT_LT(member.shape, std::size(kShapes));
  EXPECT_EQ(kMembers[0].name, "TrainingJobName");
  EXPECT_EQ(kMembers[0].need, Need::kRequired);
}

TEST(Constraints, SayWhichModelTheyComeFrom) {
  EXPECT_TRUE(constraint_source().starts_with("botocore "));
}

TEST(Constraints, CountViolationsInTheMessage) {
  EXPECT_EQ(validation_message({"a"}), "1 validation error detected: a");
  EXPECT_EQ(validation_message({"a", "b"}), "2 validation errors detected: a; b");
}

}  // namespace
}  // namespace evener::api
