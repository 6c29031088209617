#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "training/operations/search_expression.h"
#include "training/operations/test_site_test.h"

namespace evener::operations {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

class Search : public Site {
 protected:
  void SetUp() override {
    Site::SetUp();
    create("alpha", 1000);
    create("beta", 2000);
    now_ms_ = 3000'000;
    ASSERT_THAT(try_create_body(edited(R"("lr":"0.5"})", R"("lr":"0.05","a.b":"x"},
        "Tags":[{"Key":"team","Value":"cats"}],"Environment":{"A":"1"})").replace(20, 5, "gamma"),
        LocalPaths::kRefused), HasSubstr("gamma"));
    end("beta");
  }
  static std::string expression(std::string_view members) {
    return R"("Resource":"TrainingJob","SortBy":"CreationTime","SortOrder":"Ascending",)"
           R"("SearchExpression":{)" + std::string(members) + "}";
  }
  std::vector<std::string> found(std::string_view members) {
    return names_in(read(search, "{" + expression(members) + "}"));
  }
  std::vector<std::string> filter(std::string_view name, std::string_view how, std::string_view value) {
    return found(R"("Filters":[{"Name":")" + std::string(name) + R"(","Operator":")" +
                 std::string(how) + R"(","Value":")" + std::string(value) + R"("}])");
  }
};

TEST_F(Search, FindsByNamesStatusesAndTimes) {
  EXPECT_THAT(filter("TrainingJobName", "Equals", "beta"), ElementsAre("beta"));
  EXPECT_THAT(filter("TrainingJobName", "NotEquals", "beta"), ElementsAre("alpha", "gamma"));
  EXPECT_THAT(filter("TrainingJobName", "Contains", "a"), ElementsAre("alpha", "beta", "gamma"));
  EXPECT_THAT(filter("TrainingJobName", "In", "alpha,gamma"), ElementsAre("alpha", "gamma"));
  EXPECT_THAT(filter("TrainingJobStatus", "Equals", "Failed"), ElementsAre("beta"));
  EXPECT_THAT(filter("TrainingJobStatus", "Equals", "NoSuch"), IsEmpty());
  EXPECT_THAT(filter("CreationTime", "GreaterThan", "1970-01-01T00:16:40"), ElementsAre("beta", "gamma"));
  EXPECT_THAT(filter("CreationTime", "LessThanOrEqualTo", "2000"), ElementsAre("alpha", "beta"));
  EXPECT_THAT(filter("CreationTime", "Equals", "2000"), ElementsAre("beta"));
  EXPECT_THAT(filter("FailureReason", "Exists", "x"), ElementsAre("beta"));
  EXPECT_THAT(filter("FailureReason", "NotExists", "x"), ElementsAre("alpha", "gamma"));
}

TEST_F(Search, FindsByWhatLiesDeepInTheRequest) {
  EXPECT_THAT(filter("HyperParameters.lr", "LessThan", "0.1"), ElementsAre("gamma"));
  EXPECT_THAT(filter("HyperParameters.a.b", "Equals", "x"), ElementsAre("gamma"));
  EXPECT_THAT(filter("ResourceConfig.InstanceCount", "GreaterThanOrEqualTo", "1"), SizeIs(3));
  EXPECT_THAT(filter("InputDataConfig.DataSource.S3DataSource.S3Uri", "Contains", "dog"), SizeIs(3));
  EXPECT_THAT(filter("Tags.team", "Equals", "cats"), ElementsAre("gamma"));
  EXPECT_THAT(filter("Tags.team", "Exists", "x"), ElementsAre("gamma"));
  EXPECT_THAT(filter("Environment.A", "Equals", "1"), ElementsAre("gamma"));
  EXPECT_THAT(filter("No.Such.Thing", "Equals", "1"), IsEmpty());
}

TEST_F(Search, FindsByTheLastValuesOfMetrics) {
  const std::vector<jobs::JobEvent> events{
      {.job = "alpha", .time = {}, .change = jobs::Launching{{{"algo-1", 0}}}},
      {.job = "alpha", .time = {}, .change = jobs::MetricsReported{{{"accuracy", 0.95, {}}}}}};
  const auto committed = store_->commit(events);
  ASSERT_TRUE(committed);
  for (const Status& status : *committed) ASSERT_TRUE(status);
  EXPECT_THAT(filter("Metrics.accuracy", "GreaterThan", "0.9"), ElementsAre("alpha"));
  EXPECT_THAT(filter("Metrics.accuracy", "GreaterThan", "0.96"), IsEmpty());
}

TEST_F(Search, ANestedFilterHoldsForOneObjectOfAList) {
  const auto nested = [&](std::string_view channel, std::string_view uri) {
    return found(R"("NestedFilters":[{"NestedPropertyName":"InputDataConfig","Filters":[
      {"Name":"InputDataConfig.ChannelName","Operator":"Equals","Value":")" + std::string(channel) +
      R"("},{"Name":"DataSource.S3DataSource.S3Uri","Operator":"Contains","Value":")" +
      std::string(uri) + R"("}]}])");
  };
  EXPECT_THAT(nested("train", "cat"), SizeIs(3));
  EXPECT_THAT(nested("train", "dog"), IsEmpty());
}

TEST_F(Search, ExpressionsNestAndJoinByAndOrOr) {
  const std::string_view alpha = R"({"Name":"TrainingJobName","Value":"alpha"})";
  const std::string_view failed = R"({"Name":"TrainingJobStatus","Value":"Failed"})";
  const std::string both = R"("Filters":[)" + std::string(alpha) + "," + std::string(failed) + "]";
  EXPECT_THAT(found(both), IsEmpty());
  EXPECT_THAT(found(both + R"(,"Operator":"Or")"), ElementsAre("alpha", "beta"));
  EXPECT_THAT(found(R"("SubExpressions":[{)" + both + R"(,"Operator":"Or"},{"Filters":[)" +
                    std::string(failed) + "]}]"),
              ElementsAre("beta"));
}

TEST_F(Search, PagesJoinToTheWholeInEveryOrder) {
  for (int i = 0; i < 40; ++i) create("more-" + std::to_string(i), 4000 + i % 7);
  for (const std::string by : {"CreationTime", "LastModifiedTime", "TrainingJobName",
                               "TrainingJobStatus", "HyperParameters.lr", "FailureReason"}) {
    const std::string input = R"("Resource":"TrainingJob","SortBy":")" + by + R"(")";
    const auto whole = names_in(read(search, "{" + input + R"(,"MaxResults":100})"));
    EXPECT_THAT(whole, SizeIs(43)) << by;
    EXPECT_EQ(pages(input + R"(,"MaxResults":6)", search), whole) << by;
  }
  EXPECT_EQ(names_in(read(search, R"({"Resource":"TrainingJob","MaxResults":1})"))[0], "more-34");
  EXPECT_EQ(names_in(read(search, R"({"Resource":"TrainingJob","MaxResults":1,"SortOrder":"Ascending",
                                      "SortBy":"HyperParameters.lr"})"))[0], "gamma");
}

TEST_F(Search, RefusesWhatTheServiceRefuses) {
  EXPECT_THAT(read(search, "{" + expression("") + "}"), HasSubstr("needs at least one of"));
  std::string many;
  for (int i = 0; i < 20; ++i) many += std::string(i > 0 ? "," : "") + R"({"Filters":[{"Name":"a"},{"Name":"b"}]})";
  EXPECT_THAT(read(search, "{" + expression(R"("SubExpressions":[)" + many + "]") + "}"),
              HasSubstr("60 conditions in all; at most 50"));
  EXPECT_THAT(read(search, "{" + expression(R"("Filters":[{"Name":"a","Operator":"Contains","Value":"x"},
    {"Name":"a","Operator":"Contains","Value":"y"}])") + "}"), HasSubstr("usage limit of 1 exceeded"));
  EXPECT_THAT(read(search, R"({"Resource":"Nothing"})"), HasSubstr("enum value set"));
  EXPECT_EQ(read(search, R"({"Resource":"Endpoint"})").substr(0, 12), "{\"Results\":[");
}

}  // namespace
}  // namespace evener::operations
