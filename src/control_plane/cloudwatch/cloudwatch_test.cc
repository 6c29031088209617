#include "control_plane/cloudwatch/cloudwatch.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "os/temporary_folder_test.h"
#include "training/metrics/metrics.h"

namespace evener::control_plane {
namespace {

using document::Value;

constexpr std::int64_t kStart = 1'700'000'040'000;   // a whole minute

class CloudWatchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto store = store::open_store({.home = home_.path(), .synchronous = store::Synchronous::kOff});
    ASSERT_TRUE(store);
    store_ = std::move(*store);
    operations_ = cloudwatch_operations(stores_, clock_, {.files = [this](const std::string& job) {
      return MetricFiles{folder_of(job) / "metrics", folder_of(job) / "samples"};
    }});
  }

  std::filesystem::path folder_of(const std::string& job) const { return home_.path() / "jobs" / job; }

  void commit(const std::string& job, jobs::JobChange change) {
    const jobs::JobEvent event{.job = job, .time = from_millis(kStart), .change = std::move(change)};
    const auto answers = store_->commit({&event, 1});
    ASSERT_TRUE(answers) << answers.error().message;
    ASSERT_TRUE(answers->front()) << answers->front().error().message;
  }

  // A running job of one host with metrics `loss` and `rate`.
  void run_job(const std::string& name) {
    jobs::JobSpec spec;
    spec.name = name;
    spec.metric_definitions = {{"loss", "loss=(.*)"}, {"rate", "rate=(.*)"}};
    spec.groups = {{.name = "homogeneousCluster", .instance_type = "ml.c5.xlarge",
                    .shape = {.vcpus = 4, .memory_gib = 4, .known = true}}};
    commit(name, jobs::Submitted{.spec = std::move(spec), .arn = "arn:" + name});
    commit(name, jobs::Launching{.instances = {{.host = "algo-1"}}});
    std::filesystem::create_directories(folder_of(name));
  }
  void add_points(const std::string& job, const std::vector<std::pair<std::int64_t, double>>& points,
                  std::string_view metric = "loss") {
    auto writer = metrics::make_point_writer(folder_of(job) / "metrics");
    ASSERT_TRUE(writer);
    for (const auto& [after, value] : points)
      (*writer)->write({from_millis(kStart + after), "algo-1", value, metric});
  }
  void add_samples(const std::string& job) {
    auto writer = metrics::make_sample_writer(folder_of(job) / "samples");
    ASSERT_TRUE(writer);
    for (int i = 0; i < 60; ++i)
      (*writer)->write(metrics::Sample{from_millis(kStart + i * 1000), "algo-1", i < 30 ? 100.0 : 300.0,
                                       1ull << 30});
  }

  Result<Value> ask(const std::string& name, std::string_view json) {
    const auto found = std::ranges::find(operations_, name, &Operation::name);
    EXPECT_NE(found, operations_.end());
    EXPECT_EQ(found->access, Access::kRead);
    Result<Value> answer = failure(ErrorCode::kInternal, "no answer");
    found->run(*document::read(json), {}, [&](Result<wire::Output> output) {
      if (output) answer = std::move(output->value);
      else answer = tl::unexpected<Error>(output.error());
    });
    return answer;
  }
  std::string answer_of(const std::string& name, std::string_view json) {
    const auto answer = ask(name, json);
    return answer ? document::write(*answer) : answer.error().message;
  }
  // The times are seconds after the start.
  std::string statistics(std::string_view rest, int from = 0, int to = 600) {
    return answer_of("GetMetricStatistics",
                     R"({"Namespace":"/aws/sagemaker/TrainingJobs","StartTime":)" +
                         std::to_string(kStart / 1000 + from) + R"(,"EndTime":)" +
                         std::to_string(kStart / 1000 + to) + "," + std::string(rest) + "}");
  }
  std::string data(std::string_view queries, std::string_view rest = "") {
    return answer_of("GetMetricData", R"({"StartTime":1700000040,"EndTime":1700000640,)" +
                                          std::string(rest) + R"("MetricDataQueries":[)" +
                                          std::string(queries) + "]}");
  }

  os::TemporaryFolder home_;
  FakeClock clock_{from_millis(kStart + 3'600'000)};
  std::unique_ptr<store::Store> store_;
  Stores stores_{home_.path()};
  std::vector<Operation> operations_;
};

constexpr std::string_view kLossOfA =
    R"("MetricName":"loss","Dimensions":[{"Name":"TrainingJobName","Value":"a"}])";

std::string loss_of_a(std::string_view rest) { return std::string(kLossOfA) + "," + std::string(rest); }

std::string query(std::string_view id, std::string_view stat, std::string_view rest = "") {
  return R"({"Id":")" + std::string(id) + R"(","MetricStat":{"Metric":{"Namespace":)" +
         R"("/aws/sagemaker/TrainingJobs",)" + std::string(kLossOfA) + R"(},"Period":60,"Stat":")" +
         std::string(stat) + R"("})" + std::string(rest) + "}";
}

TEST_F(CloudWatchTest, TellsStatisticsOfAMetricByPeriod) {
  run_job("a");
  add_points("a", {{0, 1}, {59'999, 3}, {60'000, 5}, {240'000, 7}});
  EXPECT_EQ(statistics(loss_of_a(R"("Period":60,"Statistics":["Average","SampleCount"])")),
            R"({"Label":"loss","Datapoints":[)"
            R"({"Timestamp":1700000040.000,"Average":2,"SampleCount":2,"Unit":"None"},)"
            R"({"Timestamp":1700000100.000,"Average":5,"SampleCount":1,"Unit":"None"},)"
            R"({"Timestamp":1700000280.000,"Average":7,"SampleCount":1,"Unit":"None"}]})");
  EXPECT_EQ(statistics(loss_of_a(R"("Period":300,"Statistics":["Sum","Minimum","Maximum"])"), 0, 240),
            R"({"Label":"loss","Datapoints":[)"
            R"({"Timestamp":1700000040.000,"Sum":9,"Minimum":1,"Maximum":5,"Unit":"None"}]})");
  EXPECT_EQ(statistics(loss_of_a(R"("Period":300,"ExtendedStatistics":["p50","p100"])")),
            R"({"Label":"loss","Datapoints":[{"Timestamp":1700000040.000,"Unit":"None",)"
            R"("ExtendedStatistics":{"p50":4,"p100":7}}]})");
}

TEST_F(CloudWatchTest, TellsUseOfCpuAndMemoryOfAHost) {
  run_job("a");
  add_samples("a");
  const std::string host = R"(,"Dimensions":[{"Name":"Host","Value":"a/algo-1"}],"Period":60,)";
  EXPECT_EQ(statistics(R"("MetricName":"CPUUtilization")" + host + R"("Statistics":["Average"])"),
            R"({"Label":"CPUUtilization","Datapoints":[)"
            R"({"Timestamp":1700000040.000,"Average":200,"Unit":"Percent"}]})");
  EXPECT_EQ(statistics(R"("MetricName":"MemoryUtilization")" + host +
                       R"("Statistics":["Maximum"],"Unit":"Percent")"),
            R"({"Label":"MemoryUtilization","Datapoints":[)"
            R"({"Timestamp":1700000040.000,"Maximum":25,"Unit":"Percent"}]})");
  EXPECT_EQ(statistics(R"("MetricName":"CPUUtilization")" + host +
                       R"("Statistics":["Maximum"],"Unit":"Bytes")"),
            R"({"Label":"CPUUtilization","Datapoints":[]})");
}

TEST_F(CloudWatchTest, HasNoDatapointsOfWhatIsNotThere) {
  run_job("a");
  const std::string rest = R"("Period":60,"Statistics":["Sum"])";
  for (const char* name :
       {R"("MetricName":"loss",)",
        R"("MetricName":"loss","Dimensions":[{"Name":"TrainingJobName","Value":"A"}],)",
        R"("MetricName":"loss","Dimensions":[{"Name":"TrainingJobName","Value":"../a"}],)",
        R"("MetricName":"loss","Dimensions":[{"Name":"Host","Value":"a/algo-1"}],)",
        R"("MetricName":"CPUUtilization","Dimensions":[{"Name":"Host","Value":"a/algo-2"}],)",
        R"("MetricName":"CPUUtilization","Dimensions":[{"Name":"Host","Value":"a"}],)"})
    EXPECT_TRUE(statistics(name + rest).ends_with(R"("Datapoints":[]})")) << name;
}

TEST_F(CloudWatchTest, RefusesWhatCloudWatchRefuses) {
  const auto starts = [&](const std::string& answer, std::string_view code) {
    EXPECT_TRUE(answer.starts_with(code)) << answer;
  };
  starts(statistics(loss_of_a(R"("Period":60)")), "MissingRequiredParameterException: ");
  starts(statistics(loss_of_a(R"("Period":60,"Statistics":["Sum"],"ExtendedStatistics":["p1"])")),
         "InvalidParameterCombinationException: ");
  starts(statistics(loss_of_a(R"("Period":7,"Statistics":["Sum"])")), "InvalidParameterValueException: ");
  starts(statistics(loss_of_a(R"("Period":60,"ExtendedStatistics":["tm99"])")),
         "InvalidParameterValueException: ");
  starts(statistics(loss_of_a(R"("Period":60,"Statistics":["Sum"])"), 60, 60),
         "InvalidParameterValueException: ");
  starts(statistics(loss_of_a(R"("Period":1,"Statistics":["Sum"])"), 0, 1441),
         "InvalidParameterCombinationException: You have requested up to 1441 datapoints");
  starts(statistics(loss_of_a(R"("Period":60,"Statistics":["Mean"])")), "1 validation error detected");
  starts(data(R"({"Id":"e","Expression":"m1 + m2"})"), "ValidationException: The query 'e'");
  starts(data(query("A", "Sum")), "ValidationException: ");
  starts(data(query("a", "Sum") + "," + query("a", "Sum")), "ValidationException: ");
  starts(data(query("a", "Mean")), "ValidationException: ");
  starts(data(R"({"Id":"a"})"), "ValidationException: ");
  starts(data(""), "ValidationException: ");
  starts(data(query("a", "Sum"), R"("NextToken":"x",)"), "InvalidNextToken: ");
  starts(data(query("a", "Sum"), R"("MaxDatapoints":0,)"), "ValidationException: ");
}

TEST_F(CloudWatchTest, TellsDataOfSeveralQueries) {
  run_job("a");
  add_points("a", {{0, 1}, {1000, 3}, {60'000, 5}});
  EXPECT_EQ(data(query("m1", "Average") + "," + query("m2", "p100", R"(,"Label":"most")") + "," +
                 query("m3", "Sum", R"(,"ReturnData":false)")),
            R"({"MetricDataResults":[)"
            R"({"Id":"m1","Label":"loss","Timestamps":[1700000100.000,1700000040.000],"Values":[5,2],)"
            R"("StatusCode":"Complete"},)"
            R"({"Id":"m2","Label":"most","Timestamps":[1700000100.000,1700000040.000],"Values":[5,3],)"
            R"("StatusCode":"Complete"}],"Messages":[]})");
}

TEST_F(CloudWatchTest, TellsDataInPages) {
  run_job("a");
  add_points("a", {{0, 1}, {60'000, 2}, {120'000, 3}});
  const std::string queries = query("m1", "Sum") + "," + query("m2", "Maximum");
  EXPECT_EQ(data(queries, R"("ScanBy":"TimestampAscending","MaxDatapoints":4,)"),
            R"({"MetricDataResults":[)"
            R"({"Id":"m1","Label":"loss","Timestamps":[1700000040.000,1700000100.000,1700000160.000],)"
            R"("Values":[1,2,3],"StatusCode":"Complete"},)"
            R"({"Id":"m2","Label":"loss","Timestamps":[1700000040.000],"Values":[1],)"
            R"("StatusCode":"PartialData"}],"NextToken":"d/4","Messages":[]})");
  EXPECT_EQ(data(queries, R"("ScanBy":"TimestampAscending","MaxDatapoints":4,"NextToken":"d/4",)"),
            R"({"MetricDataResults":[)"
            R"({"Id":"m1","Label":"loss","Timestamps":[],"Values":[],"StatusCode":"Complete"},)"
            R"({"Id":"m2","Label":"loss","Timestamps":[1700000100.000,1700000160.000],"Values":[2,3],)"
            R"("StatusCode":"Complete"}],"Messages":[]})");
}

TEST_F(CloudWatchTest, ListsMetricsThatHaveValues) {
  run_job("a");
  run_job("b");
  add_points("a", {{0, 1}});
  add_samples("b");
  EXPECT_EQ(answer_of("ListMetrics", R"({"MetricName":"loss"})"),
            R"({"Metrics":[{"Namespace":"/aws/sagemaker/TrainingJobs","MetricName":"loss",)"
            R"("Dimensions":[{"Name":"TrainingJobName","Value":"a"}]}]})");
  EXPECT_EQ(answer_of("ListMetrics", R"({"Dimensions":[{"Name":"Host"}],"MetricName":"CPUUtilization"})"),
            R"({"Metrics":[{"Namespace":"/aws/sagemaker/TrainingJobs","MetricName":"CPUUtilization",)"
            R"("Dimensions":[{"Name":"Host","Value":"b/algo-1"}]}]})");
  const auto of_b = ask("ListMetrics", R"({"Dimensions":[{"Name":"Host","Value":"b/algo-1"}]})");
  EXPECT_EQ(of_b->items_at("Metrics").size(), 2u);
  EXPECT_EQ(ask("ListMetrics", "{}")->items_at("Metrics").size(), 4u);
  EXPECT_EQ(answer_of("ListMetrics", R"({"Namespace":"AWS/EC2"})"), R"({"Metrics":[]})");
  EXPECT_EQ(ask("ListMetrics", R"({"RecentlyActive":"PT3H"})")->items_at("Metrics").size(), 4u);
  EXPECT_TRUE(answer_of("ListMetrics", R"({"NextToken":"x"})")
                  .starts_with("InvalidParameterValueException: "));
}

TEST_F(CloudWatchTest, ListsManyMetricsInPagesOfWholeJobs) {
  for (int i = 0; i < 400; ++i) {
    const std::string name = "job-" + std::to_string(i);
    run_job(name);
    add_points(name, {{0, 1}});
  }
  std::size_t found = 0;
  std::string token;
  for (int pages = 0; pages < 10; ++pages) {
    const auto page = ask("ListMetrics", token.empty() ? "{}" : R"({"NextToken":")" + token + "\"}");
    ASSERT_TRUE(page) << page.error().message;
    EXPECT_LE(page->items_at("Metrics").size(), kListedMetrics);
    found += page->items_at("Metrics").size();
    token = page->text_at("NextToken");
    if (token.empty()) break;
  }
  EXPECT_EQ(found, 800u);
}

}  // namespace
}  // namespace evener::control_plane
