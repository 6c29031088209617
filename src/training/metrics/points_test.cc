#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "os/temporary_folder_test.h"
#include "training/metrics/line_file.h"
#include "training/metrics/metrics.h"

namespace evener::metrics {
namespace {

constexpr std::int64_t kStart = 1'700'000'000'000;

Point point(std::int64_t after, std::string_view host, double value, std::string_view metric) {
  return {from_millis(kStart + after), host, value, metric};
}

struct KeptPoint {
  std::int64_t after = 0;
  std::string host;
  double value = 0;
  std::string metric;
  bool operator==(const KeptPoint&) const = default;
};
std::vector<KeptPoint> points_of(const std::filesystem::path& file, std::int64_t from = 0,
                                 std::int64_t to = 1'000'000'000) {
  std::vector<KeptPoint> points;
  read_points(file, {from_millis(kStart + from), from_millis(kStart + to)}, [&](const Point& one) {
    points.push_back({to_millis(one.time) - kStart, std::string(one.host), one.value,
                      std::string(one.metric)});
    return Reading::kGoOn;
  });
  return points;
}

std::string sample_of_the_page() {
  const std::string page = os::content_of("formats/metrics.md");
  EXPECT_FALSE(page.empty()) << "run from the root of the source, as ctest does";
  const std::string fence = "\n```points\n";
  const std::size_t start = page.find(fence) + fence.size();
  return page.substr(start, page.find("```", start) - start);
}

TEST(MetricPoints, AreWrittenAsTheSampleOfTheirPageShows) {
  const os::TemporaryFolder folder;
  const auto file = folder.path() / "metrics";
  {
    auto writer = make_point_writer(file);
    ASSERT_TRUE(writer.has_value());
    (*writer)->write(point(123, "algo-1", 0.5, "train:loss"));
    (*writer)->write(point(100, "algo-2", 0.25, "train:loss"));
    (*writer)->write(point(500, "algo-2", 1200, "images per second"));
    (*writer)->write(point(1000, "algo-1", 0.00001, "train:loss"));
    (*writer)->flush();
    EXPECT_EQ(os::content_of(file), sample_of_the_page());
  }
  EXPECT_EQ(points_of(file), (std::vector<KeptPoint>{{123, "algo-1", 0.5, "train:loss"},
                                                     {123, "algo-2", 0.25, "train:loss"},
                                                     {500, "algo-2", 1200, "images per second"},
                                                     {1000, "algo-1", 1e-5, "train:loss"}}));
}

TEST(MetricPoints, HaveNoFileBeforeTheFirst) {
  const os::TemporaryFolder folder;
  const auto file = folder.path() / "metrics";
  ASSERT_TRUE(make_point_writer(file).has_value());
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_TRUE(points_of(file).empty());
}

TEST(MetricPoints, AreFoundByTimeInALargeFile) {
  const os::TemporaryFolder folder;
  const auto file = folder.path() / "metrics";
  auto writer = make_point_writer(file);
  ASSERT_TRUE(writer.has_value());
  constexpr int kPoints = 50'000;
  for (int i = 0; i < kPoints; ++i) (*writer)->write(point(i * 10, "algo-1", i, "m"));
  (*writer)->flush();
  EXPECT_EQ(points_of(file).size(), static_cast<std::size_t>(kPoints));
  for (const std::int64_t from : {0, 5, 123'450, 250'001, 499'980, 499'990, 600'000}) {
    const auto points = points_of(file, from, from + 30);
    const std::int64_t first = (from + 9) / 10;
    const std::int64_t count = std::clamp<std::int64_t>(kPoints - first, 0, 3);
    ASSERT_EQ(points.size(), static_cast<std::size_t>(count)) << from;
    if (count == 0) continue;
    EXPECT_EQ(points.front().value, static_cast<double>(first)) << from;
  }
}

TEST(MetricPoints, AreThinnedPastHalfOfTheLimitAndStopAtIt) {
  const os::TemporaryFolder folder;
  const auto file = folder.path() / "metrics";
  auto writer = make_point_writer(file, 4000);
  ASSERT_TRUE(writer.has_value());
  for (int i = 0; i < 100'000; ++i) (*writer)->write(point(i * 100, "algo-1", i, "m"));
  (*writer)->flush();
  EXPECT_LE(std::filesystem::file_size(file), 4000u);
  EXPECT_GT(std::filesystem::file_size(file), 3900u);
  EXPECT_GT((*writer)->thinned(), 0u);
  EXPECT_GT((*writer)->lost(), 0u);
  const auto points = points_of(file);
  EXPECT_EQ(points.size() + (*writer)->thinned() + (*writer)->lost(), 100'000u);
  EXPECT_EQ(points.back().after % 1000, 0);
}

TEST(MetricPoints, ContinueAfterATornLine) {
  const os::TemporaryFolder folder;
  const auto file = folder.path() / "metrics";
  std::ofstream(file, std::ios::binary) << to_line(point(0, "algo-1", 1, "m")) << "17000000";
  auto writer = make_point_writer(file);
  ASSERT_TRUE(writer.has_value());
  (*writer)->write(point(1, "algo-1", 2, "m"));
  (*writer)->flush();
  EXPECT_EQ(os::content_of(file),
            to_line(point(0, "algo-1", 1, "m")) + to_line(point(1, "algo-1", 2, "m")));
}

TEST(MetricPoints, AreCountedAsLostWhereTheFileCannotBeMade) {
  const os::TemporaryFolder folder;
  auto writer = make_point_writer(folder.path() / "missing" / "metrics");
  ASSERT_TRUE(writer.has_value());
  (*writer)->write(point(0, "algo-1", 1, "m"));
  (*writer)->flush();
  EXPECT_EQ((*writer)->lost(), 1u);
}

TEST(MetricPoints, LeaveRoomOnTheDiskForWhatBecomesOfTheJob) {
  const os::TemporaryFolder folder;
  constexpr std::uint64_t kDiskBytes = 1u << 20;
  const std::string size = "size=" + std::to_string(kDiskBytes);
  if (::mount("tmpfs", folder.path().c_str(), "tmpfs", 0, size.c_str()) != 0)
    GTEST_SKIP() << "a disk cannot be mounted here: " << std::strerror(errno);
  {
    auto writer = make_point_writer(folder.path() / "metrics");
    ASSERT_TRUE(writer.has_value());
    const std::string metric(200, 'm');
    for (int i = 0; i < 10'000; ++i) (*writer)->write(point(i, "algo-1", i, metric));
    (*writer)->flush();
    EXPECT_GT((*writer)->lost(), 0u);
    struct statvfs disk {};
    EXPECT_EQ(::statvfs(folder.path().c_str(), &disk), 0);
    EXPECT_GE(std::uint64_t{disk.f_bavail} * disk.f_frsize, kRoomForEvents);
  }
  ::umount2(folder.path().c_str(), MNT_DETACH);
}

TEST(MetricPoints, AreReadOnlyFromLinesThatArePoints) {
  const Point one = point(7, "algo-1", -2.5e-7, "a metric: é");
  const std::string line = to_line(one);
  EXPECT_EQ(parse_point(std::string_view(line).substr(0, line.size() - 1)), one);
  for (const char* bad :
       {"", "1700000000123", "1700000000123 algo-1", "1700000000123 algo-1 1", "1700000000123 algo-1 1 ",
        "1700000000123 algo-1 nan m", "1700000000123 algo-1 x m", "170000000012 algo-1 1 m",
        "-700000000123 algo-1 1 m", "1700000000123  1 m", "{\"t\":1}"})
    EXPECT_FALSE(parse_point(bad).has_value()) << bad;
}

TEST(Samples, AreReadByTime) {
  const os::TemporaryFolder folder;
  const auto file = folder.path() / "samples";
  {
    auto writer = make_sample_writer(file);
    ASSERT_TRUE(writer.has_value());
    for (int i = 0; i < 5000; ++i) {
      (*writer)->write(Sample{from_millis(kStart + i * 1000 + 1), "algo-1", 50, 1 << 20});
      (*writer)->write(Sample{from_millis(kStart + i * 1000), "algo-2", i + 0.5, 2 << 20});
      (*writer)->write(Progress{from_millis(kStart + i * 1000), "packing", 1, 2});
    }
  }
  std::vector<Sample> found;
  read_samples(file, {from_millis(kStart + 3'000'000), from_millis(kStart + 3'002'000)},
               [&](const Sample& sample) {
                 found.push_back(sample);
                 return Reading::kGoOn;
               });
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[1].host, "algo-2");
  EXPECT_EQ(found[1].cpu_percent, 3000.5);
  EXPECT_EQ(found[1].memory_bytes, 2u << 20);
}

}  // namespace
}  // namespace evener::metrics
