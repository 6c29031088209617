#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <functional>

#include "evener/commands.h"
#include "evener/data_image_pipeline.h"
#include "evener/data_options.h"
#include "evener/data_serving.h"
#include "evener/job_view.h"
#include "evener/text_table.h"

namespace evener::app {
namespace {

namespace images = data::images;
namespace pipeline = data::pipeline;
using std::chrono::duration;

constexpr std::size_t kCrops = 256;           // photographs that stages other than reading share

struct Stage {
  std::string name;
  std::function<Status(std::size_t)> run;     // on the photograph of that number
};

struct Timing {
  std::string name;
  double per_second = 0;
  double microseconds = 0;
  double cpu_microseconds = 0;                // what others on the machine do not add to
};

double thread_cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

Result<Timing> time_stage(const Stage& stage, double seconds, const Clock& clock) {
  const MonotonicTime begin = clock.monotonic_now();
  const double cpu_begin = thread_cpu_seconds();
  std::uint64_t count = 0;
  double passed = 0;
  while (passed < seconds) {
    RETURN_IF_ERROR(stage.run(count++));
    passed = duration<double>(clock.monotonic_now() - begin).count();
  }
  const auto samples = static_cast<double>(count);
  return Timing{stage.name, samples / passed, 1e6 * passed / samples,
                1e6 * (thread_cpu_seconds() - cpu_begin) / samples};
}

// What the stages work on, and with.
struct Bench {
  std::unique_ptr<data::sources::Source> source;
  std::vector<FixedCrop> crops;
  std::shared_ptr<const pipeline::Program> program;
  pipeline::Lane lane;
  std::vector<std::byte> out;
  std::vector<std::byte> body;
};

images::Transform as_bytes(images::Transform transform) {
  transform.format = images::PixelFormat::kU8Hwc;
  return transform;
}

std::vector<Stage> stages_of(Bench& bench) {
  const auto crop = [&bench](std::size_t i) -> FixedCrop& { return bench.crops[i % kCrops]; };
  const auto decode = [&bench](const FixedCrop& one, const images::Transform& transform) {
    const std::size_t bytes = images::bytes_of(transform.out, transform.format);
    return bench.lane.decoder.decode(one.reading.bytes(), one.facts, transform,
                                     std::span(bench.out).first(bytes));
  };
  return {
      {"read", [&bench](std::size_t i) {
         return bench.source->read(i % bench.source->samples(), bench.lane.reading);
       }},
      {"probe", [crop](std::size_t i) -> Status {
         auto facts = images::probe(crop(i).reading.bytes(), images::Orientation::kAsStored);
         return facts ? ok() : Status(tl::unexpected(std::move(facts.error())));
       }},
      {"decode, resize, flip to bytes", [crop, decode](std::size_t i) {
         return decode(crop(i), as_bytes(crop(i).transform));
       }},
      {"the same, normalised", [crop, decode](std::size_t i) {
         return decode(crop(i), crop(i).transform);
       }},
      {"all, into a batch", [&bench](std::size_t i) -> Status {
         const std::uint32_t size = bench.program->definition().batch_size;
         const data::transport::Unit unit{0, i / size % bench.program->batches_per_epoch()};
         auto made = bench.program->make(
             bench.lane, {unit, static_cast<std::uint32_t>(i % size)}, bench.body);
         return made ? ok() : Status(tl::unexpected(std::move(made.error())));
       }},
  };
}

Result<std::vector<Timing>> bench_stages(const DataImageBenchOptions& options) {
  const SystemClock clock;
  auto stores = DataStores::make();
  if (!stores) return tl::unexpected(std::move(stores.error()));
  auto definition = image_pipeline(options);
  if (!definition) return tl::unexpected(std::move(definition.error()));
  auto program = pipeline::Program::compile(*definition, (*stores)->set());
  if (!program) return tl::unexpected(std::move(program.error()));
  auto crops = fixed_crops(*definition, (*stores)->set(), kCrops);
  if (!crops) return tl::unexpected(std::move(crops.error()));
  auto source = data::sources::open({.kind = data::sources::Kind::kImages,
                                     .location = definition->source.location,
                                     .labels = data::sources::Labels::kUnused},
                                    (*stores)->set());
  if (!source) return tl::unexpected(std::move(source.error()));
  Bench bench{.source = std::move(*source),
              .crops = std::move(*crops),
              .program = *program,
              .lane = pipeline::Lane(clock),
              .out = {},
              .body = std::vector<std::byte>((*program)->body_bytes())};
  bench.out.resize(bench.body.size() / definition->batch_size);
  std::vector<Timing> timings;
  const std::vector<Stage> stages = stages_of(bench);
  for (const Stage& stage : stages) {
    auto timing = time_stage(stage, options.seconds / static_cast<double>(stages.size()), clock);
    if (!timing) return tl::unexpected(std::move(timing.error()));
    timings.push_back(std::move(*timing));
  }
  return timings;
}

void print_timings(const std::vector<Timing>& timings, OutputForm form) {
  TextTable table({"stage, on one core", "images/s", "us each", "us of CPU"});
  for (const Timing& timing : timings) {
    char rate[40];
    char each[40];
    char cpu[40];
    std::snprintf(rate, sizeof rate, "%.0f", timing.per_second);
    std::snprintf(each, sizeof each, "%.1f", timing.microseconds);
    std::snprintf(cpu, sizeof cpu, "%.1f", timing.cpu_microseconds);
    table.add({timing.name, rate, each, cpu});
    if (form != OutputForm::kJson) continue;
    document::Value line = document::make_object();
    line.set("stage", document::make_string(timing.name));
    line.set("images_per_second", document::make_number(timing.per_second));
    line.set("microseconds", document::make_number(timing.microseconds));
    line.set("cpu_microseconds", document::make_number(timing.cpu_microseconds));
    print(document::write(line) + "\n");
  }
  if (form == OutputForm::kJson) return;
  for (const auto& line : table.lines()) print(line + "\n");
}

}  // namespace

int run_data_bench_stages(const DataImageBenchOptions& options) {
  auto timings = bench_stages(options);
  if (!timings) {
    const bool usage = timings.error().code == ErrorCode::kInvalidArgument ||
                       timings.error().code == ErrorCode::kNotFound;
    return report_error(timings.error(), usage ? kExitUsage : kExitFailed);
  }
  print_timings(*timings, options.form);
  return kExitDone;
}

}  // namespace evener::app
