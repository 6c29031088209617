#include "training/metrics/metrics.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>

#include "base/ids.h"
#include "os/temporary_folder_test.h"
#include "training/metrics/samples_json.h"

namespace evener::metrics {
namespace {

using std::chrono::milliseconds;

MonotonicTime mono(std::int64_t millis) { return MonotonicTime(milliseconds(millis)); }
Counters cpu_millis(std::uint64_t millis) { return {.cpu_nanos = millis * 1'000'000}; }

void put(const std::filesystem::path& path, std::string_view bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary | std::ios::app) << bytes;
}

TEST(UsageMeter, CountsAHundredPercentAVcpu) {
  UsageMeter meter;
  meter.begin("algo-1", 4, cpu_millis(500), mono(0));
  EXPECT_DOUBLE_EQ(meter.sample("algo-1", cpu_millis(2500), mono(1000), WallTime()).cpu_percent, 200);
  EXPECT_DOUBLE_EQ(meter.sample("algo-1", cpu_millis(3500), mono(2000), WallTime()).cpu_percent, 100);
  const auto totals = meter.totals();
  ASSERT_EQ(totals.size(), 1u);
  EXPECT_DOUBLE_EQ(totals[0].cpu_percent_mean, 150);
  EXPECT_DOUBLE_EQ(totals[0].cpu_percent_max, 200);
  EXPECT_DOUBLE_EQ(totals[0].visible_cpus, 4);
}

TEST(UsageMeter, WeighsALastPartialIntervalByItsLength) {
  UsageMeter meter;
  meter.begin("algo-1", 1, cpu_millis(0), mono(0));
  meter.sample("algo-1", cpu_millis(1000), mono(1000), WallTime());
  EXPECT_DOUBLE_EQ(meter.sample("algo-1", cpu_millis(1300), mono(1100), WallTime()).cpu_percent, 300);
  EXPECT_DOUBLE_EQ(meter.totals()[0].cpu_percent_mean, 100 * 1300.0 / 1100);
  EXPECT_DOUBLE_EQ(meter.totals()[0].cpu_percent_max, 100 * 1300.0 / 1100);
}

TEST(UsageMeter, CountsNothingWhereCountersOrTimeGoBack) {
  UsageMeter meter;
  meter.begin("algo-1", 1, cpu_millis(5000), mono(1000));
  EXPECT_EQ(meter.sample("algo-1", cpu_millis(100), mono(2000), WallTime()).cpu_percent, 0);
  EXPECT_DOUBLE_EQ(meter.sample("algo-1", cpu_millis(600), mono(3000), WallTime()).cpu_percent, 50);
  EXPECT_EQ(meter.sample("algo-1", cpu_millis(700), mono(2500), WallTime()).cpu_percent, 0);
  EXPECT_DOUBLE_EQ(meter.totals()[0].cpu_percent_mean, 30);
}

TEST(UsageMeter, KeepsTheHighestMemoryOfSamplesAndKernel) {
  UsageMeter meter;
  meter.begin("algo-1", 1, {}, mono(0));
  meter.sample("algo-1", {.cpu_nanos = 0, .memory_bytes = 70, .memory_peak_bytes = 90}, mono(1), WallTime());
  meter.sample("algo-1", {.cpu_nanos = 0, .memory_bytes = 95, .memory_peak_bytes = 0}, mono(2), WallTime());
  EXPECT_EQ(meter.totals()[0].memory_peak_bytes, 95u);
}

TEST(UsageMeter, ToleratesAHostWithoutTimeOrBeginning) {
  UsageMeter meter;
  EXPECT_EQ(meter.sample("algo-9", cpu_millis(5), mono(7), WallTime()).cpu_percent, 0);
  EXPECT_EQ(meter.totals()[0].cpu_percent_mean, 0);
  EXPECT_EQ(UsageMeter().totals().size(), 0u);
}

class SamplesTest : public testing::Test {
 protected:
  std::unique_ptr<SampleWriter> writer(std::uint64_t limit = kMaxSampleFileBytes) {
    auto made = make_sample_writer(file_, limit);
    EXPECT_TRUE(made.has_value());
    return std::move(*made);
  }
  os::TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "samples";
};

TEST_F(SamplesTest, AreWrittenAsTheSampleOfTheirPageShowsAndReadBack) {
  const std::string page = os::content_of("formats/samples.md");
  ASSERT_FALSE(page.empty()) << "run from the root of the source, as ctest does";
  const std::string fence = "\n```samples\n";
  const std::size_t start = page.find(fence) + fence.size();
  auto out = writer();
  out->write(Progress{from_millis(1700000000123), "staging", 1048576, 4194304});
  out->write(Sample{from_millis(1700000001000), "algo-1", 187.2483, 73400320});
  EXPECT_EQ(os::content_of(file_), page.substr(start, page.find("```", start) - start));
  SampleReader reader(file_);
  const Live live = reader.poll();
  ASSERT_EQ(live.samples.size(), 1u);
  ASSERT_EQ(live.progress.size(), 1u);
  EXPECT_EQ(live.samples[0].host, "algo-1");
  EXPECT_DOUBLE_EQ(live.samples[0].cpu_percent, 187.25);
  EXPECT_EQ(live.progress[0].total_bytes, 4194304u);
}

TEST_F(SamplesTest, FollowsAFileThatIsNotThereYetAndGrowsByteByByte) {
  SampleReader reader(file_);
  EXPECT_TRUE(reader.poll().samples.empty());
  const std::string line = to_line(Sample{from_millis(5), "algo-1", 1, 2});
  std::size_t seen = 0;
  for (const char byte : line + line) {
    put(file_, std::string_view(&byte, 1));
    seen += reader.poll().samples.size();
  }
  EXPECT_EQ(seen, 2u);
}

TEST_F(SamplesTest, PassesOverLinesThatAreNoSamples) {
  const std::string good = to_line(Sample{from_millis(5), "algo-1", 1, 2});
  put(file_, "\n[]\n{\"t\":1}\n{\"t\":-1,\"host\":\"a\",\"cpu\":1,\"mem\":1}\n{\"t\":1,\"host\":3}\nnot json\n" +
                 std::string(600'000, '[') + "\n" + good);
  SampleReader reader(file_);
  EXPECT_EQ(reader.poll().samples.size(), 1u);
}

TEST_F(SamplesTest, CutsOffATornLineWhenTheFileIsContinued) {
  writer()->write(Sample{from_millis(5), "algo-1", 1, 2});
  put(file_, "{\"t\":17");
  writer()->write(Sample{from_millis(6), "algo-1", 1, 2});
  SampleReader reader(file_);
  EXPECT_EQ(reader.poll().samples.size(), 2u);
}

TEST_F(SamplesTest, StaysBelowItsLimitByThinning) {
  auto out = writer(20'000);
  for (int i = 0; i < 50'000; ++i)
    out->write(Sample{from_millis(i), "algo-1", i % 2 == 0 ? 0.0 : 100.0, 2});
  out->write(Progress{from_millis(1), "packing", 1, 2});
  EXPECT_LE(std::filesystem::file_size(file_), 20'000u);
  SampleReader reader(file_);
  const Live live = reader.poll();
  EXPECT_GT(to_millis(live.samples.back().time), 5'000);
  EXPECT_DOUBLE_EQ(live.samples.back().cpu_percent, 50);
}

TEST_F(SamplesTest, DropsWhatAFullDiskRefuses) {
  std::signal(SIGXFSZ, SIG_IGN);
  auto out = writer();
  out->write(Sample{from_millis(1), "algo-1", 1, 2});
  rlimit old{};
  ::getrlimit(RLIMIT_FSIZE, &old);
  const rlimit full{std::filesystem::file_size(file_) + 10, old.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &full);
  out->write(Sample{from_millis(2), "algo-1", 1, 2});
  ::setrlimit(RLIMIT_FSIZE, &old);
  out->write(Sample{from_millis(3), "algo-1", 1, 2});
  SampleReader reader(file_);
  const Live live = reader.poll();
  ASSERT_EQ(live.samples.size(), 2u);
  EXPECT_EQ(live.samples[1].time, from_millis(3));
}

class InputWaitTest : public testing::Test {
 protected:
  std::string line(const std::string& name, const std::string& value) {
    return "{\"MetricName\":\"" + name + "\",\"Value\":" + value +
           ",\"Timestamp\":1700000000,\"IterationNumber\":1}\n";
  }
  os::TemporaryFolder root_;
  std::filesystem::path folder_ = root_.path() / "ml/output/metrics/sagemaker";
};

TEST_F(InputWaitTest, DividesTheSumsOfAllFiles) {
  put(folder_ / "1.json", line("input_wait_seconds", "1.5") + line("step_seconds", "4"));
  put(folder_ / "2.json", line("input_wait_seconds", "1") + line("loss", "0.5") + line("step_seconds", "1"));
  put(folder_ / "notes.txt", line("step_seconds", "1000"));
  EXPECT_DOUBLE_EQ(input_wait_fraction(folder_).value(), 0.5);
}

TEST_F(InputWaitTest, SaysNothingUnlessBothAreReported) {
  EXPECT_FALSE(input_wait_fraction(folder_).has_value());
  put(folder_ / "1.json", line("step_seconds", "4"));
  EXPECT_FALSE(input_wait_fraction(folder_).has_value());
  std::filesystem::remove(folder_ / "1.json");
  put(folder_ / "1.json", line("input_wait_seconds", "4") + line("step_seconds", "0"));
  EXPECT_FALSE(input_wait_fraction(folder_).has_value());
}

TEST_F(InputWaitTest, KeepsWithinZeroAndOne) {
  put(folder_ / "1.json", line("input_wait_seconds", "9") + line("step_seconds", "3"));
  EXPECT_DOUBLE_EQ(input_wait_fraction(folder_).value(), 1);
}

TEST_F(InputWaitTest, IgnoresValuesThatAreNoSeconds) {
  put(folder_ / "1.json", line("input_wait_seconds", "NaN") + line("input_wait_seconds", "1e999") +
                              line("input_wait_seconds", "-5") + line("input_wait_seconds", "\"7\"") +
                              line("step_seconds", "Infinity") + line("step_seconds", "1e300") +
                              "[1]\n\"step_seconds\"\n{\"step_seconds\n" +
                              line("input_wait_seconds", "1") + line("step_seconds", "4"));
  EXPECT_DOUBLE_EQ(input_wait_fraction(folder_).value(), 0.25);
}

TEST_F(InputWaitTest, SurvivesHugeLinesDeepNestingAndRandomBytes) {
  SeededRandom random(11);
  std::string noise;
  for (int i = 0; i < 100'000; ++i) noise += static_cast<char>(random.next());
  put(folder_ / "0.json", std::string(2'000'000, '[') + "\"step_seconds\"\n" +
                              "{\"step_seconds\":" + std::string(60'000, '[') + "\n" + noise + "\n" +
                              line("input_wait_seconds", "1") + line("step_seconds", "2"));
  EXPECT_DOUBLE_EQ(input_wait_fraction(folder_).value(), 0.5);
}

TEST_F(InputWaitTest, OpensNeitherLinksNorSpecialFiles) {
  put(root_.path() / "outside/x.json", line("input_wait_seconds", "1") + line("step_seconds", "1"));
  put(folder_ / "good.json", line("input_wait_seconds", "1") + line("step_seconds", "4"));
  std::filesystem::create_symlink(root_.path() / "outside/x.json", folder_ / "link.json");
  std::filesystem::create_directory(folder_ / "folder.json");
  ASSERT_EQ(::mkfifo((folder_ / "fifo.json").c_str(), 0600), 0);
  EXPECT_DOUBLE_EQ(input_wait_fraction(folder_).value(), 0.25);
  std::filesystem::remove_all(root_.path() / "ml/output/metrics");
  std::filesystem::create_directory(root_.path() / "ml/output/metrics");
  std::filesystem::create_symlink(root_.path() / "outside", folder_);
  EXPECT_FALSE(input_wait_fraction(folder_).has_value());
  std::filesystem::remove_all(root_.path() / "ml/output");
  std::filesystem::create_directories(root_.path() / "outside/metrics/sagemaker");
  put(root_.path() / "outside/metrics/sagemaker/x.json",
      line("input_wait_seconds", "1") + line("step_seconds", "1"));
  std::filesystem::create_symlink(root_.path() / "outside", root_.path() / "ml/output");
  EXPECT_FALSE(input_wait_fraction(folder_).has_value());
}

TEST_F(InputWaitTest, ReadsNoMoreThanItsLimitOfASparseFile) {
  put(folder_ / "1.json", line("input_wait_seconds", "1") + line("step_seconds", "4"));
  std::filesystem::resize_file(folder_ / "1.json", 1ull << 40);
  EXPECT_DOUBLE_EQ(input_wait_fraction(folder_).value(), 0.25);
}

}  // namespace
}  // namespace evener::metrics
