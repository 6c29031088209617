#include <gmock/gmock.h>

#include "service_model/pattern.h"
#include "service_model/table.h"

namespace evener::service_model {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr Service kAll[] = {Service::kSageMaker, Service::kLogs, Service::kCloudWatch,
                            Service::kSts, Service::kIam};

std::string text_of(Service service, std::string_view operation, std::string_view json) {
  const Status status = check_input(service, operation, document::read(json).value());
  return status ? "fits" : status.error().message;
}

TEST(Tables, HaveOnlyPatternsThatAreSupported) {
  for (const Service service : kAll)
    for (const ShapeRow& shape : table_of(service).shapes)
      EXPECT_TRUE(is_supported_pattern(shape.pattern)) << shape.pattern;
}

TEST(Tables, PointOnlyAtRowsThatExist) {
  for (const Service service : kAll) {
    const Table& table = table_of(service);
    ASSERT_EQ(table.operations.size(), table.inputs.size());
    EXPECT_TRUE(std::ranges::is_sorted(table.operations));
    for (const std::size_t input : table.inputs) EXPECT_LT(input, table.shapes.size());
    for (const ShapeRow& shape : table.shapes) {
      EXPECT_LE(shape.first_member + shape.member_count, table.members.size());
      EXPECT_LE(shape.first_word + shape.word_count, table.words.size());
      EXPECT_LT(shape.key, table.shapes.size());
      EXPECT_LT(shape.element, table.shapes.size());
      const bool both = shape.min != kNoLimit && shape.max != kNoLimit;
      EXPECT_TRUE(!both || shape.min <= shape.max);
    }
    for (const MemberRow& member : table.members) EXPECT_LT(member.shape, table.shapes.size());
  }
}

TEST(Services, RoundTripByName) {
  for (const Service service : kAll) EXPECT_EQ(service_from(to_string(service)), service);
  EXPECT_FALSE(service_from("s3"));
  EXPECT_TRUE(has_operation(Service::kSageMaker, "CreateTrainingJob"));
  EXPECT_FALSE(has_operation(Service::kSageMaker, "CreateEndpoint"));
  EXPECT_FALSE(has_operation(Service::kSts, ""));
  EXPECT_EQ(operations(Service::kIam).size(), 2u);
}

TEST(Check, SaysWhichModelItComesFrom) { EXPECT_TRUE(model_source().starts_with("botocore ")); }

TEST(Check, CountsViolationsInTheMessage) {
  EXPECT_EQ(validation_message({"a"}), "1 validation error detected: a");
  EXPECT_EQ(validation_message({"a", "b"}), "2 validation errors detected: a; b");
}

TEST(Check, WordsViolationsAsTheServiceDoes) {
  EXPECT_EQ(text_of(Service::kSageMaker, "DescribeTrainingJob", R"({"TrainingJobName":"a_b"})"),
            "1 validation error detected: Value 'a_b' at 'trainingJobName' failed to satisfy "
            "constraint: Member must satisfy regular expression pattern: "
            "[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}");
  EXPECT_EQ(text_of(Service::kSageMaker, "ListTrainingJobs", R"({"MaxResults":101,"SortBy":"Age"})"),
            "2 validation errors detected: Value '101' at 'maxResults' failed to satisfy "
            "constraint: Member must have value less than or equal to 100; Value 'Age' at "
            "'sortBy' failed to satisfy constraint: Member must satisfy enum value set: "
            "[Name, CreationTime, Status]");
  EXPECT_EQ(text_of(Service::kLogs, "GetLogEvents", R"({"logGroupName":"g"})"),
            "1 validation error detected: Value null at 'logStreamName' failed to satisfy "
            "constraint: Member must not be null");
}

TEST(Check, TakesWholeAndBrokenSecondsAsTimes) {
  EXPECT_EQ(text_of(Service::kSageMaker, "ListTrainingJobs",
                    R"({"CreationTimeAfter":1796033472.345,"CreationTimeBefore":1796033473})"),
            "fits");
  EXPECT_THAT(text_of(Service::kSageMaker, "ListTrainingJobs", R"({"CreationTimeAfter":"now"})"),
              HasSubstr("'creationTimeAfter' must be a time in seconds since 1970, not a string"));
}

TEST(Check, FollowsExpressionsThatContainThemselves) {
  EXPECT_EQ(text_of(Service::kSageMaker, "Search",
                    R"({"Resource":"TrainingJob","SearchExpression":{"SubExpressions":
                       [{"SubExpressions":[{"Filters":[{"Name":"TrainingJobName"}]}]}]}})"),
            "fits");
  EXPECT_THAT(text_of(Service::kSageMaker, "Search",
                      R"({"Resource":"TrainingJob","SearchExpression":{"SubExpressions":
                         [{"SubExpressions":[{"Filters":[{"Operator":"In"}]}]}]}})"),
              HasSubstr("'searchExpression.subExpressions.1.member.subExpressions.1.member."
                        "filters.1.member.name'"));
}

TEST(Check, NamesMembersThatTheModelDoesNotHave) {
  const Findings findings = check(Service::kSageMaker, "StopTrainingJob",
                                  document::read(R"({"TrainingJobName":"a","X":1})").value());
  EXPECT_THAT(findings.violations, ElementsAre());
  EXPECT_THAT(findings.unknown_members, ElementsAre(HasSubstr("'X' is no member")));
}

TEST(Check, TakesPathsOfThisMachineOnlyWhereTheyAreAllowed) {
  const auto request = document::read(R"({"TrainingJobName":"a","RoleArn":
    "arn:aws:iam::000000000000:role/r","OutputDataConfig":{"S3OutputPath":"file:///out"}})").value();
  EXPECT_EQ(check(Service::kSageMaker, "CreateTrainingJob", request).violations.size(), 1u);
  EXPECT_THAT(check(Service::kSageMaker, "CreateTrainingJob", request, Places::kThisMachine).violations,
              ElementsAre());
}

}  // namespace
}  // namespace evener::service_model
