#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>

#include "base/log.h"
#include "evener/commands.h"
#include "evener/data_embedded.h"
#include "evener/data_image_pipeline.h"
#include "evener/data_options.h"
#include "evener/data_serving.h"
#include "evener/job_view.h"

namespace evener::app {
namespace {

using std::chrono::duration;

constexpr double kWarmUpSeconds = 0.5;

struct Speed {
  double images_per_second = 0;
  double cpu_seconds_per_1000 = 0;
};

// This process runs on the first `cores` of the CPUs it may use.
Status take_cores(std::uint32_t cores) {
  cpu_set_t allowed;
  cpu_set_t taken;
  CPU_ZERO(&taken);
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return errno_failure(errno, "affinity");
  std::uint32_t count = 0;
  for (std::size_t cpu = 0; cpu < CPU_SETSIZE && count < cores; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed)) continue;
    CPU_SET(cpu, &taken);
    ++count;
  }
  if (count < cores)
    return failure(ErrorCode::kInvalidArgument, "--cores " + std::to_string(cores) + ": there are " +
                                                    std::to_string(count));
  if (::sched_setaffinity(0, sizeof taken, &taken) != 0) return errno_failure(errno, "affinity");
  return ok();
}

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

Result<std::uint64_t> read_for(data::client::Reader& reader, double seconds, const Clock& clock) {
  const MonotonicTime begin = clock.monotonic_now();
  std::uint64_t samples = 0;
  while (duration<double>(clock.monotonic_now() - begin).count() < seconds) {
    auto batch = reader.next();
    if (!batch) return tl::unexpected(std::move(batch.error()));
    if (!*batch) return failure(ErrorCode::kInternal, "an endless feed ended");
    samples += (*batch)->samples();
  }
  return samples;
}

Result<Speed> measure(const DataImageBenchOptions& options,
                      const data::pipeline::Definition& definition,
                      const storage::StoreSet& stores) {
  const SystemClock clock;
  auto service = start_embedded(options.cores, stores, clock);
  if (!service) return tl::unexpected(std::move(service.error()));
  RETURN_IF_ERROR(open_embedded_reader(*service, definition, clock));
  if (auto warm = read_for(*service->reader, kWarmUpSeconds, clock); !warm)
    return tl::unexpected(std::move(warm.error()));
  const MonotonicTime begin = clock.monotonic_now();
  const double cpu_before = cpu_seconds();
  auto samples = read_for(*service->reader, options.seconds, clock);
  if (!samples) return tl::unexpected(std::move(samples.error()));
  const double cpu = cpu_seconds() - cpu_before;
  const double seconds = duration<double>(clock.monotonic_now() - begin).count();
  const auto count = static_cast<double>(*samples);
  return Speed{.images_per_second = count / seconds, .cpu_seconds_per_1000 = 1000 * cpu / count};
}

Result<document::Value> bench(const DataImageBenchOptions& options) {
  set_log_level(LogLevel::kError);        // worker and dispatcher are parts of this program
  RETURN_IF_ERROR(take_cores(options.cores));
  auto stores = DataStores::make();
  if (!stores) return tl::unexpected(std::move(stores.error()));
  auto definition = image_pipeline(options);
  if (!definition) return tl::unexpected(std::move(definition.error()));
  auto quality = image_quality(*definition, (*stores)->set());
  if (!quality) return tl::unexpected(std::move(quality.error()));
  auto speed = measure(options, *definition, (*stores)->set());
  if (!speed) return tl::unexpected(std::move(speed.error()));
  document::Value value = document::make_object();
  value.set("images_per_second", document::make_number(speed->images_per_second));
  value.set("cpu_seconds_per_1000", document::make_number(speed->cpu_seconds_per_1000));
  value.set("psnr_db", document::make_number(*quality));
  return value;
}

double number_at(const document::Value& value, std::string_view name) {
  return std::stod(value.find(name)->text);
}

}  // namespace

int run_data_bench_image(const DataImageBenchOptions& options) {
  auto result = bench(options);
  if (!result) {
    const bool usage = result.error().code == ErrorCode::kInvalidArgument ||
                       result.error().code == ErrorCode::kNotFound;
    return report_error(result.error(), usage ? kExitUsage : kExitFailed);
  }
  if (options.form == OutputForm::kJson) {
    print(document::write(*result) + "\n");
    return kExitDone;
  }
  char line[200];
  std::snprintf(line, sizeof line,
                "%.1f images/s on %u cores, %.3f CPU seconds for 1,000, %.1f dB to the reference\n",
                number_at(*result, "images_per_second"), options.cores,
                number_at(*result, "cpu_seconds_per_1000"), number_at(*result, "psnr_db"));
  print(line);
  return kExitDone;
}

}  // namespace evener::app
