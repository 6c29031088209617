#include "control_plane/cloudwatch/series.h"

#include <algorithm>
#include <functional>
#include <map>

#include "training/metrics/metrics.h"

namespace evener::control_plane {
namespace {

using document::make_list;
using document::make_object;
using document::make_string;
using document::Value;

constexpr double kBytesPerGib = 1024.0 * 1024 * 1024;

std::optional<Source> source_of_host(const jobs::TrainingJob& job, std::string_view metric,
                                     const std::string& host, const CloudWatchOptions& options) {
  const bool there = std::ranges::any_of(job.instances, [&](const jobs::Instance& instance) {
    return instance.placement.host == host;
  });
  if (!there) return std::nullopt;
  Source source{.file = options.files(job.spec.name).samples, .metric = "", .host = host,
                .unit = "Percent"};
  if (metric == kCpu) {
    source.measure = Measure::kCpuPercent;
    return source;
  }
  source.measure = Measure::kMemoryBytes;
  source.scale = 100 / (jobs::group_of(job, host).shape.memory_gib * kBytesPerGib);
  return source;
}

std::optional<Source> source_of_points(const jobs::TrainingJob& job, const std::string& metric,
                                       const CloudWatchOptions& options) {
  const auto& definitions = job.spec.metric_definitions;
  if (std::ranges::find(definitions, metric, &jobs::MetricDefinition::name) == definitions.end())
    return std::nullopt;
  return Source{.file = options.files(job.spec.name).points, .metric = metric, .host = ""};
}

// What belongs to one file, by the name that its lines are told apart with.
struct FileSeries {
  metrics::TimeRange range{WallTime::max(), WallTime::min()};
  std::multimap<std::string, Series*, std::less<>> by_name{};
};

using Files = std::map<std::filesystem::path, FileSeries>;

class Reader {
 public:
  void read(const std::filesystem::path& path, const FileSeries& file) {
    if (file.by_name.begin()->second->source.measure == Measure::kPoint)
      metrics::read_points(path, file.range, [&](const metrics::Point& point) {
        return give(file, point.metric, point.time, [&](const Source&) { return point.value; });
      });
    else
      metrics::read_samples(path, file.range, [&](const metrics::Sample& sample) {
        return give(file, sample.host, sample.time, [&](const Source& source) {
          return source.measure == Measure::kCpuPercent ? sample.cpu_percent
                                                        : static_cast<double>(sample.memory_bytes);
        });
      });
  }
  bool full() const { return read_ > kReadValues; }

 private:
  template <typename ValueOf>
  metrics::Reading give(const FileSeries& file, std::string_view name, WallTime time,
                        ValueOf value_of) {
    ++read_;
    const auto [first, last] = file.by_name.equal_range(name);
    for (auto one = first; one != last; ++one, ++read_) {
      Series& series = *one->second;
      series.buckets.add(to_millis(time), value_of(series.source) * series.source.scale);
    }
    return full() ? metrics::Reading::kDone : metrics::Reading::kGoOn;
  }

  std::size_t read_ = 0;
};

}  // namespace

MetricName metric_name(const Value& owner) {
  MetricName name{.name_space = std::string(owner.text_at("Namespace")),
                  .metric = std::string(owner.text_at("MetricName"))};
  for (const Value& dimension : owner.items_at("Dimensions"))
    name.dimensions.emplace_back(dimension.text_at("Name"), dimension.text_at("Value"));
  return name;
}

Value to_document(const MetricName& name) {
  Value dimensions = make_list({});
  for (const auto& [key, value] : name.dimensions) {
    Value dimension = make_object();
    dimension.set("Name", make_string(key));
    dimension.set("Value", make_string(value));
    dimensions.items.push_back(std::move(dimension));
  }
  Value metric = make_object();
  metric.set("Namespace", make_string(name.name_space));
  metric.set("MetricName", make_string(name.metric));
  metric.set("Dimensions", std::move(dimensions));
  return metric;
}

// The last values of an ended job tell which of its metrics were found; of a running job all that
// are looked for count once there is any.
std::vector<MetricName> metrics_of(const jobs::TrainingJob& job, const CloudWatchOptions& options) {
  std::vector<std::string> found;
  const auto add = [&](const std::string& name) {
    if (std::ranges::find(found, name) == found.end()) found.push_back(name);
  };
  const MetricFiles files = options.files(job.spec.name);
  std::error_code error;
  for (const jobs::MetricValue& metric : job.final_metrics) add(metric.name);
  if (!job.ended() && std::filesystem::exists(files.points, error))
    for (const jobs::MetricDefinition& one : job.spec.metric_definitions) add(one.name);

  std::vector<MetricName> names;
  for (const std::string& name : found)
    names.push_back({std::string(kMetricNamespace), name,
                     {{std::string(kJobDimension), job.spec.name}}});
  if (job.instances.empty() || !std::filesystem::exists(files.samples, error)) return names;
  for (const jobs::Instance& instance : job.instances)
    for (const std::string_view metric : {kCpu, kMemory})
      names.push_back({std::string(kMetricNamespace), std::string(metric),
                       {{std::string(kHostDimension),
                         job.spec.name + "/" + instance.placement.host}}});
  return names;
}

Result<std::optional<Source>> find_source(store::Store& store, const MetricName& name,
                                          const CloudWatchOptions& options) {
  if (name.name_space != kMetricNamespace || name.dimensions.size() != 1) return std::nullopt;
  const auto& [dimension, value] = name.dimensions.front();
  const bool of_host = dimension == kHostDimension && (name.metric == kCpu || name.metric == kMemory);
  if (!of_host && dimension != kJobDimension) return std::nullopt;
  const std::size_t slash = of_host ? value.find('/') : value.size();
  if (slash == std::string::npos) return std::nullopt;
  const std::string job_name = value.substr(0, slash);
  const auto job = store.find(job_name);
  if (!job && job.error().code == ErrorCode::kNotFound) return std::nullopt;
  if (!job) return tl::unexpected<Error>(job.error());
  if (job->spec.name != job_name) return std::nullopt;
  return of_host ? source_of_host(*job, name.metric, value.substr(slash + 1), options)
                 : source_of_points(*job, name.metric, options);
}

Status read_series(std::vector<Series>& series) {
  Files files;
  for (Series& one : series) {
    const bool points = one.source.measure == Measure::kPoint;
    FileSeries& file = files[one.source.file];
    const Periods& periods = one.buckets.periods();
    file.range.from = std::min(file.range.from, from_millis(periods.start));
    file.range.to = std::max(file.range.to, from_millis(periods.end));
    file.by_name.emplace(points ? one.source.metric : one.source.host, &one);
  }
  Reader reader;
  for (const auto& [path, file] : files) {
    reader.read(path, file);
    if (reader.full())
      return failure(ErrorCode::kInvalidArgument,
                     "LimitExceededException: over " + std::to_string(kReadValues) +
                         " values lie in the time that was asked for; ask for a shorter time or "
                         "fewer metrics");
  }
  return ok();
}

}  // namespace evener::control_plane
