#include "advice/cost/cost.h"

#include <gtest/gtest.h>

#include <limits>

namespace evener::cost {
namespace {

catalog::Catalog prices() {
  catalog::CatalogText text;
  text.instances_csv =
      "type,family,vcpus,memory_gib,accelerator,accelerator_count,accelerator_memory_gib_each,"
      "network_gbit,architecture\n"
      "ml.a.large,a,2,8,,0,,10,x86_64\n"
      "ml.b.large,b,2,8,,0,,10,x86_64\n"
      "ml.n.large,n,2,8,,0,,10,x86_64\n";
  text.prices_csv =
      "type,service,region,term,usd_per_hour,as_of,source\n"
      "ml.a.large,sagemaker-training,us-east-1,on-demand,0.36,2026-08-11,the list\n"
      "ml.b.large,sagemaker-training,us-east-1,on-demand,7.2,2022-10,an old list\n"
      "ml.b.large,sagemaker-training,us-west-2,on-demand,7.3,2022-10,an old list\n"
      "n.large,ec2,us-east-1,on-demand,1,2026-08-11,the list\n";
  return *catalog::Catalog::parse(text);
}

WallTime now() {
  return std::chrono::sys_days(std::chrono::year_month_day{
      std::chrono::year(2026), std::chrono::month(11), std::chrono::day(30)});
}

TEST(JobCost, IsBillableSecondsTimesPriceOfEachInstance) {
  const JobCost cost = job_cost({{"data", "ml.a.large", 2, 100}, {"dnn", "ml.b.large", 1, 50}},
                                prices(), "us-east-1", now());
  ASSERT_EQ(cost.groups.size(), 2u);
  EXPECT_DOUBLE_EQ(cost.groups[0].usd.value(), 0.02);
  EXPECT_DOUBLE_EQ(cost.groups[0].usd_per_hour.value(), 0.36);
  EXPECT_EQ(cost.groups[0].price_note, "us-east-1, 2026-08-11");
  EXPECT_EQ(cost.groups[0].price_source, "the list");
  EXPECT_EQ(cost.groups[1].price_note, "us-east-1, 2022-10, 4 years old");
  EXPECT_DOUBLE_EQ(cost.usd.value(), 0.12);
}

TEST(JobCost, SaysAMissingPriceAndGivesNoTotal) {
  const JobCost cost = job_cost({{"a", "ml.a.large", 1, 10},
                                 {"n", "ml.n.large", 1, 10},
                                 {"x", "local", 1, 10}},
                                prices(), "us-east-1", now());
  EXPECT_TRUE(cost.groups[0].usd.has_value());
  EXPECT_FALSE(cost.groups[1].usd.has_value());
  EXPECT_EQ(cost.groups[1].price_note, "no training price for ml.n.large");
  EXPECT_EQ(cost.groups[2].price_note,
            "no training price for local: the type is not in the catalogue");
  EXPECT_FALSE(cost.usd.has_value());
}

TEST(JobCost, NeverTakesAnotherRegionsPrice) {
  const JobCost cost = job_cost({{"b", "ml.b.large", 1, 10}}, prices(), "eu-west-1", now());
  EXPECT_FALSE(cost.groups[0].usd.has_value());
  EXPECT_EQ(cost.groups[0].price_note,
            "no training price for ml.b.large in eu-west-1 (there is one for us-east-1, us-west-2)");
}

TEST(JobCost, IsNothingForNoTimeAndNoGroups) {
  EXPECT_DOUBLE_EQ(job_cost({}, prices(), "us-east-1", now()).usd.value(), 0);
  EXPECT_DOUBLE_EQ(job_cost({{"a", "ml.a.large", 1, 0}}, prices(), "us-east-1", now()).usd.value(), 0);
  EXPECT_DOUBLE_EQ(job_cost({{"a", "ml.a.large", 1, -5}}, prices(), "us-east-1", now()).usd.value(), 0);
}

TEST(FormatUsd, ShowsCentsAtLeastAndThreeDigits) {
  const struct {
    double usd;
    const char* text;
  } cases[] = {{0, "$0.00"},         {0.0042, "$0.0042"},     {0.0042134, "$0.00421"},
               {0.1, "$0.10"},       {0.1234, "$0.123"},      {1, "$1.00"},
               {12.3456, "$12.35"},  {1234.5, "$1234.50"},    {0.00201, "$0.00201"},
               {-0.42, "-$0.42"},    {0.0000000123, "$0.0000000123"},
               {1e-30, "$0.00"},     {-1e-30, "$0.00"},       {0.999, "$0.999"},
               {0.9999, "$1.00"},    {37.688, "$37.69"}};
  for (const auto& [usd, text] : cases) EXPECT_EQ(format_usd(usd), text);
  EXPECT_EQ(format_usd(std::numeric_limits<double>::quiet_NaN()), "$?");
  EXPECT_EQ(format_usd(std::numeric_limits<double>::infinity()), "$?");
}

}  // namespace
}  // namespace evener::cost
