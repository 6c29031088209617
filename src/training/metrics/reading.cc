#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <chrono>

#include "training/metrics/line_file.h"
#include "training/metrics/metrics.h"
#include "training/metrics/samples_json.h"

namespace evener::metrics {
namespace {

// Hosts are sampled one after the other, and progress comes from other threads.
constexpr std::chrono::seconds kSampleDisorder{10};

os::UniqueFd open_to_read(const std::filesystem::path& file) {
  return os::UniqueFd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
}

std::optional<std::int64_t> point_time(std::string_view line) {
  const auto point = parse_point(line);
  if (!point) return std::nullopt;
  return to_millis(point->time);
}

std::optional<std::int64_t> sample_time(std::string_view line) {
  constexpr std::string_view kName = "\"t\":";
  const std::size_t name = line.find(kName);
  if (name == std::string_view::npos) return std::nullopt;
  line.remove_prefix(name + kName.size());
  std::int64_t millis = 0;
  if (std::from_chars(line.data(), line.data() + line.size(), millis).ec != std::errc())
    return std::nullopt;
  return millis;
}

}  // namespace

void read_points(const std::filesystem::path& path, const TimeRange& range,
                 const std::function<Reading(const Point&)>& take) {
  const os::UniqueFd file = open_to_read(path);
  if (!file) return;
  const std::uint64_t start = place_of(file.get(), to_millis(range.from), point_time);
  read_lines(file.get(), start, [&](std::string_view line) {
    const auto point = parse_point(line);
    if (!point || point->time < range.from) return Reading::kGoOn;
    if (point->time >= range.to) return Reading::kDone;
    return take(*point);
  });
}

void read_samples(const std::filesystem::path& path, const TimeRange& range,
                  const std::function<Reading(const Sample&)>& take) {
  const os::UniqueFd file = open_to_read(path);
  if (!file) return;
  const std::uint64_t start =
      place_of(file.get(), to_millis(range.from - kSampleDisorder), sample_time);
  read_lines(file.get(), start, [&](std::string_view line) {
    const auto parsed = parse_line(line);
    const auto* sample = std::get_if<Sample>(&parsed);
    if (sample == nullptr) return Reading::kGoOn;
    if (sample->time >= range.to + kSampleDisorder) return Reading::kDone;
    if (sample->time < range.from || sample->time >= range.to) return Reading::kGoOn;
    return take(*sample);
  });
}

}  // namespace evener::metrics
