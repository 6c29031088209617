#include "advice/catalog/catalog.h"

#include <gtest/gtest.h>

#include "base/ids.h"

namespace evener::catalog {
namespace {

const std::string kInstanceHeader =
    "type,family,vcpus,memory_gib,accelerator,accelerator_count,accelerator_memory_gib_each,"
    "network_gbit,architecture\n";
const std::string kPriceHeader = "type,service,region,term,usd_per_hour,as_of,source\n";

CatalogText small() {
  CatalogText text;
  text.instances_csv = "# a comment\n" + kInstanceHeader +
                       "ml.a.large,a,2,8,,0,,10,x86_64\n\nml.g.large,g,4,16,T4,1,16,25,x86_64\n";
  text.prices_csv = kPriceHeader +
                    "ml.a.large,sagemaker-training,us-east-1,on-demand,0.10,2024-01,\"list, \"\"old\"\"\"\n"
                    "ml.a.large,sagemaker-training,us-east-1,on-demand,0.12,2025-03-01,list\n"
                    "ml.a.large,sagemaker-training,us-east-1,on-demand,0.99,2026-09-01,list [region not stated]\n"
                    "ml.a.large,sagemaker-training,us-east-1,on-demand,0.50,,list\n"
                    "ml.g.large,sagemaker-training,us-east-1,on-demand,1.1,2024,list [component]\n"
                    "ml.g.large,sagemaker-training,us-east-1,on-demand,1.2,2025,list [component]\n"
                    "g.large,ec2,us-east-1,on-demand,0.9,2025,list\n";
  return text;
}

std::string fault(const CatalogText& text) {
  const Result<Catalog> parsed = Catalog::parse(text);
  if (parsed) return "no fault";
  EXPECT_EQ(parsed.error().code, ErrorCode::kInvalidArgument);
  return parsed.error().message;
}

WallTime day(int year, unsigned month, unsigned of_month) {
  return std::chrono::sys_days(std::chrono::year_month_day{
      std::chrono::year(year), std::chrono::month(month), std::chrono::day(of_month)});
}

TEST(Catalog, LoadsEveryRowOfTheShippedTables) {
  const Result<CatalogText> text = builtin_catalog_text();
  ASSERT_TRUE(text.has_value());
  const Result<Catalog> parsed = Catalog::parse(*text);
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
  EXPECT_EQ(parsed->types().size(), 115u);
  EXPECT_EQ(parsed->prices().size(), 366u);
  const InstanceType* type = parsed->find("ml.g5.2xlarge");
  ASSERT_NE(type, nullptr);
  EXPECT_EQ(type->vcpus, 8);
  EXPECT_EQ(type->accelerator, "NVIDIA A10G");
  EXPECT_EQ(type->accelerators, 1);
  const Price* price = parsed->price("ml.c5.2xlarge", "sagemaker-training", "us-east-1");
  ASSERT_NE(price, nullptr);
  EXPECT_GT(price->usd_per_hour, 0.3);
  EXPECT_FALSE(price->source.empty());
  for (const Price& row : parsed->prices()) {
    EXPECT_GT(row.usd_per_hour, 0);
    if (row.service == "sagemaker-training") {
      EXPECT_NE(parsed->find(row.type), nullptr) << row.type;
    }
  }
}

TEST(Catalog, AnswersNothingForUnknownTypes) {
  const Catalog parsed = *Catalog::parse(small());
  EXPECT_EQ(parsed.find("local"), nullptr);
  EXPECT_EQ(parsed.find(""), nullptr);
  EXPECT_EQ(parsed.price("local", "sagemaker-training", "us-east-1"), nullptr);
}

TEST(Catalog, TakesTheNewestPriceWithoutOpenPointsAndElseTheNewest) {
  const Catalog parsed = *Catalog::parse(small());
  EXPECT_DOUBLE_EQ(parsed.price("ml.a.large", "sagemaker-training", "us-east-1")->usd_per_hour, 0.12);
  EXPECT_DOUBLE_EQ(parsed.price("ml.g.large", "sagemaker-training", "us-east-1")->usd_per_hour, 1.2);
  EXPECT_DOUBLE_EQ(parsed.price("ml.g.large", "ec2", "us-east-1")->usd_per_hour, 0.9);
  EXPECT_EQ(parsed.price("ml.a.large", "sagemaker-training", "us-west-2"), nullptr);
  EXPECT_EQ(parsed.price("ml.a.large", "ec2", "us-east-1"), nullptr);
}

TEST(Catalog, ReadsQuotedFieldsWithCommasAndQuotes) {
  EXPECT_EQ(Catalog::parse(small())->prices().front().source, "list, \"old\"");
}

TEST(Catalog, NamesFileAndLineOfABadRow) {
  const struct {
    std::string instances;
    std::string message;
  } cases[] = {
      {"ml.x,x,2,8,,0,,10", "instances.csv:2: 8 fields, but the header has 9"},
      {"# one\n\nml.x,x,two,8,,0,,10,x86_64", "instances.csv:4: vcpus 'two' is not a number"},
      {"ml.x,x,2.5,8,,0,,10,x86_64", "instances.csv:2: vcpus '2.5' is not a whole number"},
      {"ml.x,x,2,nan,,0,,10,x86_64", "instances.csv:2: memory_gib 'nan' is not a number"},
      {"ml.x,x,,8,,0,,10,x86_64", "instances.csv:2: ml.x: vcpus must be at least 1"},
      {",x,2,8,,0,,10,x86_64", "instances.csv:2: type is missing"},
      {"ml.x,x,2,8,T4,0,,10,x86_64", "instances.csv:2: ml.x: accelerator and accelerator_count must agree"},
      {"ml.x,x,2,8,,0,,10,\"x\ny\"\nml.z,z,2,8,,0,,ten,x", "instances.csv:4: network_gbit 'ten' is not a number"},
      {"ml.x,x,2,8,,0,,10,x\nml.x,x,2,8,,0,,10,x", "instances.csv:3: ml.x is there twice"},
      {"ml.x,x,2,8,,0,,10,\"x86_64", "instances.csv:2: a quote is not closed"},
      {"ml.x,x,2,8,,0,,10,x\"86\"", "instances.csv:2: a quote in the wrong place"},
  };
  for (const auto& [instances, message] : cases) {
    CatalogText text = small();
    text.instances_csv = kInstanceHeader + instances;
    EXPECT_EQ(fault(text), message);
  }
  CatalogText text = small();
  text.prices_csv = kPriceHeader + "ml.x,ec2,us-east-1,on-demand,1,yesterday,list\n";
  EXPECT_EQ(fault(text),
            "prices.csv:2: ml.x: as_of 'yesterday' is not a date (2026-11-30, 2026-11 or 2026)");
  text.prices_csv = "type,price\n";
  EXPECT_NE(fault(text).find("prices.csv: the header must be type,service"), std::string::npos);
  text.prices_csv = "";
  EXPECT_NE(fault(text).find("prices.csv: the header must be"), std::string::npos);
}

TEST(Catalog, LetsTheUserReplaceAndAddTypesAndPrices) {
  CatalogText text = small();
  text.overrides_toml = R"(
[[instance]]
type = "ml.mybox"
vcpus = 64
memory_gib = 256

[[instance]]
type = "ml.a.large"
vcpus = 3
memory_gib = 8.5
accelerator = "X"

[[price]]
type = "ml.a.large"
service = "sagemaker-training"
region = "us-east-1"
term = "on-demand"
usd_per_hour = 25.25
as_of = "2020-11-30"
source = "our contract"

[[price]]
type = "ml.mybox"
region = "home"
usd_per_hour = 1
as_of = 2026-11-30
)";
  const Result<Catalog> parsed = Catalog::parse(text);
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
  EXPECT_EQ(parsed->find("ml.mybox")->vcpus, 64);
  EXPECT_EQ(parsed->find("ml.a.large")->vcpus, 3);
  EXPECT_EQ(parsed->find("ml.a.large")->accelerators, 1);
  EXPECT_EQ(parsed->types().size(), 3u);
  const Price* price = parsed->price("ml.a.large", "sagemaker-training", "us-east-1");
  EXPECT_DOUBLE_EQ(price->usd_per_hour, 25.25);
  EXPECT_EQ(price->source, "our contract");
  EXPECT_EQ(parsed->price("ml.mybox", "sagemaker-training", "home")->as_of, "2026-11-30");
  EXPECT_EQ(parsed->prices().size(), 5u);
}

TEST(Catalog, RefusesOverridesWithFileAndLine) {
  const struct {
    std::string toml;
    std::string message;
  } cases[] = {
      {"[[instance]]\ntype = \"ml.x\"\nvcpu = 3\n", "my.toml:3: unknown key 'vcpu'; did you mean 'vcpus'?"},
      {"\n[[prices]]\n", "my.toml:2: unknown key 'prices'; did you mean 'price'?"},
      {"[instance]\ntype = \"ml.x\"\n", "my.toml:1: write [[instance]] or [[price]]"},
      {"instance = [1]\n", "my.toml:1: write [[instance]] or [[price]]"},
      {"[[instance]]\ntype = \"ml.x\"\nvcpus = \"3\"\n", "my.toml:3: vcpus must be a whole number"},
      {"[[instance]]\ntype = 4\n", "my.toml:2: type must be a text"},
      {"[[instance]]\ntype = \"ml.x\"\nvcpus = -3\n", "my.toml:3: vcpus must be a whole number"},
      {"[[instance]]\ntype = \"ml.x\"\nvcpus = 3\nmemory_gib = inf\nnetwork_gbit = true\n",
       "my.toml:5: network_gbit must be a number"},
      {"\n\n[[instance]]\ntype = \"ml.x\"\nvcpus = 3\n", "my.toml:3: ml.x: memory_gib must be more than 0"},
      {"[[price]]\ntype = \"ml.x\"\nusd_per_hour = 3\n", "my.toml:1: ml.x: service, region and term are needed"},
      {"[[price]]\ntype = \"ml.x\"\nregion = \"r\"\nusd_per_hour = nan\n",
       "my.toml:1: ml.x: usd_per_hour must be a price"},
  };
  for (const auto& [toml, message] : cases) {
    CatalogText text = small();
    text.overrides_name = "my.toml";
    text.overrides_toml = toml;
    EXPECT_EQ(fault(text), message);
  }
  CatalogText text = small();
  text.overrides_name = "my.toml";
  text.overrides_toml = "a = 1\nb = = 2\n";
  EXPECT_EQ(fault(text).find("my.toml:2: "), 0u);
}

TEST(Catalog, SurvivesRandomBytesInEveryText) {
  const CatalogText good = small();
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SeededRandom random(seed);
    CatalogText text = good;
    text.overrides_toml = "[[instance]]\ntype = \"ml.x\"\nvcpus = 3\nmemory_gib = 1\n";
    for (std::string* damaged : {&text.instances_csv, &text.prices_csv, &text.overrides_toml})
      for (std::uint64_t n = random.below(4); n > 0; --n)
        (*damaged)[random.below(damaged->size())] = static_cast<char>(random.next());
    const Result<Catalog> parsed = Catalog::parse(text);
    EXPECT_TRUE(parsed.has_value() || parsed.error().code == ErrorCode::kInvalidArgument);
  }
}

TEST(Catalog, NamesTypesThatSomeoneMayHaveMeant) {
  const Catalog parsed = *Catalog::parse(*builtin_catalog_text());
  using Names = std::vector<std::string>;
  EXPECT_EQ(parsed.near_misses("ml.g5.2xlrge").front(), "ml.g5.2xlarge");
  EXPECT_EQ(parsed.near_misses("g5.2xlarge").front(), "ml.g5.2xlarge");
  EXPECT_EQ(parsed.near_misses("ml.p4d.xlarge").front(), "ml.p4d.24xlarge");
  for (const std::string& name : parsed.near_misses("ml.c5.huge"))
    EXPECT_EQ(name.find("ml.c5"), 0u) << name;
  EXPECT_EQ(parsed.near_misses("ml.c5.3xlarge").size(), 3u);
  EXPECT_EQ(parsed.near_misses("banana-of-the-north"), Names{});
  EXPECT_EQ(parsed.near_misses(std::string(100'000, 'x')), Names{});
}

TEST(PriceAge, IsSaidOfPricesOlderThanHalfAYearOrWithoutADate) {
  const auto note = [](const std::string& as_of) {
    Price price;
    price.as_of = as_of;
    return price_age_note(price, day(2026, 11, 30));
  };
  EXPECT_EQ(note("2026-08-11"), "2026-08-11");
  EXPECT_EQ(note("2026-06-03"), "2026-06-03");
  EXPECT_EQ(note("2026-06-02"), "2026-06-02, 5 months old");
  EXPECT_EQ(note("2025-04-28"), "2025-04-28, 19 months old");
  EXPECT_EQ(note("2022-10"), "2022-10, 4 years old");
  EXPECT_EQ(note("2024"), "2024, 2 years old");
  EXPECT_EQ(note(""), "date unknown");
  EXPECT_EQ(note("2027-01-01"), "2027-01-01");
}

}  // namespace
}  // namespace evener::catalog
