#include "data/statistics/statistics.h"

#include <gtest/gtest.h>

namespace evener::data::statistics {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

Worker busy_worker() {
  return {.threads = 2, .elapsed_ns = 10 * kSecond, .read_busy_ns = kSecond, .read_bytes = 5,
          .decode_busy_ns = 18 * kSecond, .samples = 100, .sent_units = 10, .sent_bytes = 1000};
}

TEST(WorkerStatistics, AreTheSameAfterATripAsADocument) {
  Worker worker = busy_worker();
  worker.faults.push_back({"a/1.jpg", "is truncated"});
  const auto again = from_document(document::read(document::write(to_document(worker))).value());
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, worker);
  EXPECT_EQ(from_document(document::make_object()).error().message,
            "statistics: threads is no count");
}

TEST(WorkerStatistics, SinceAnEarlierTimeAreTheirGrowth) {
  Worker now = busy_worker();
  now.open_units = 3;
  Worker before = busy_worker();
  before.samples = 40;
  before.open_units = 7;
  const Worker difference = since(now, before);
  EXPECT_EQ(difference.samples, 60u);
  EXPECT_EQ(difference.open_units, 3u);
  EXPECT_EQ(difference.threads, 2u);
  EXPECT_EQ(difference.sent_units, 0u);
}

TEST(Verdict, SaysWhoWaitsForWhom) {
  EXPECT_EQ(verdict({}, 0), "no batch was sent");
  EXPECT_EQ(verdict({busy_worker()}, 0.85),
            "input-bound by decode on 2 cores, readers wait 85 % of their time");
  EXPECT_EQ(verdict({busy_worker(), busy_worker()}, -1), "input-bound by decode on 4 cores");
  Worker reading = busy_worker();
  std::swap(reading.read_busy_ns, reading.decode_busy_ns);
  reading.threads = 1;
  reading.elapsed_ns = 20 * kSecond;
  EXPECT_EQ(verdict({reading}, 0.5), "input-bound by reading on 1 core, readers wait 50 % of their time");
  Worker idle = busy_worker();
  idle.decode_busy_ns = kSecond;
  idle.credit_wait_ns = 15 * kSecond;
  EXPECT_EQ(verdict({idle}, 0.02),
            "reader-bound: workers wait 75 % of their time for room at readers");
  EXPECT_EQ(verdict({idle}, 0.5),
            "input-bound by the way to the readers: workers wait 75 % of their time for room there, "
            "readers wait 50 % of their time");
  idle.credit_wait_ns = 0;
  EXPECT_EQ(verdict({idle}, 0.5),
            "input-bound, though workers are idle 90 % of their time, readers wait 50 % of their time");
  EXPECT_EQ(verdict({idle}, 0.05),
            "balanced: workers are busy 10 % of their time, readers wait 5 % of their time");
}

TEST(Exposition, HasEachMetricOnceWithAllItsValues) {
  Exposition exposition;
  expose({{"worker=\"1\"", busy_worker()}, {"worker=\"2\"", busy_worker()}}, exposition);
  const std::string& text = exposition.text();
  EXPECT_NE(text.find("# HELP evener_data_worker_samples_total Samples made\n"
                      "# TYPE evener_data_worker_samples_total counter\n"
                      "evener_data_worker_samples_total{worker=\"1\"} 100\n"
                      "evener_data_worker_samples_total{worker=\"2\"} 100\n"),
            std::string::npos) << text;
  EXPECT_NE(text.find("evener_data_worker_decode_busy_seconds_total{worker=\"2\"} 18\n"),
            std::string::npos);
}

}  // namespace
}  // namespace evener::data::statistics
