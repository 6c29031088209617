#include <algorithm>
#include <cstdio>

#include "base/byte_size.h"
#include "data/client/client.h"
#include "evener/commands.h"
#include "evener/data_options.h"
#include "evener/data_serving.h"
#include "evener/interrupts.h"
#include "evener/job_view.h"
#include "http/sigv4/sigv4.h"

namespace evener::app {
namespace {

using std::chrono::duration;
using std::chrono::milliseconds;

document::Value whole(std::uint64_t value) {
  return document::make_integer(static_cast<std::int64_t>(value));
}

Result<data::client::ReaderOptions> reader_options(const DataReadOptions& options) {
  auto token = data_token(options.token_file);
  if (!token) return tl::unexpected(std::move(token.error()));
  auto memory = parse_bytes(options.memory);
  if (!memory) return failure_in("--memory", std::move(memory.error()));
  data::client::ReaderOptions wanted;
  wanted.memory_bytes = *memory;
  wanted.dispatcher = options.dispatcher;
  wanted.token = std::move(*token);
  wanted.tls_authority = options.tls_authority;
  wanted.feed = options.feed;
  wanted.rank = options.rank;
  wanted.ranks = options.ranks;
  wanted.from = {.epoch = options.from_epoch, .batch = options.from_batch};
  if (options.pipeline.empty()) return wanted;
  auto definition = load_pipeline(options.pipeline);
  if (!definition) return tl::unexpected(std::move(definition.error()));
  wanted.pipeline = to_document(*definition);
  return wanted;
}

void print_batch(const data::client::Batch& batch, const DataReadOptions& options) {
  if (options.form != OutputForm::kJson) return;
  document::Value line = document::make_object();
  line.set("event", document::make_string("batch"));
  line.set("epoch", whole(batch.epoch()));
  line.set("batch", whole(batch.index()));
  line.set("samples", whole(batch.samples()));
  if (options.digest) {
    const auto* bytes = reinterpret_cast<const char*>(batch.memory().get());
    line.set("sha256", document::make_string(http::sha256_hex({bytes, batch.body_bytes()})));
  }
  print(document::write(line) + "\n");
}

struct ReadReport {
  std::uint64_t samples = 0;
  std::uint64_t batches = 0;
  std::uint64_t failed = 0;
  double seconds = 0;
  double first_batch_seconds = 0;     // since the reader began to connect
  bool interrupted = false;
};

// A batch that could not be made is told and passed over, as a trainer might.
Status read_all(data::client::Reader& reader, const DataReadOptions& options, MonotonicTime begin,
                Interrupts& interrupts, ReadReport& report) {
  const SystemClock clock;
  const milliseconds step(static_cast<std::int64_t>(options.step_ms));
  while (!report.interrupted && (options.batches == 0 || report.batches < options.batches)) {
    auto batch = reader.next();
    report.seconds = duration<double>(clock.monotonic_now() - begin).count();
    if (!batch) {
      if (!reader.failed_unit()) return tl::unexpected(std::move(batch.error()));
      ++report.failed;
      report_error(batch.error(), kExitFailed);
      continue;
    }
    if (!*batch) break;
    if (report.batches++ == 0) report.first_batch_seconds = report.seconds;
    report.samples += (*batch)->samples();
    print_batch(**batch, options);
    report.interrupted = interrupts.wait(step) > 0;
  }
  return ok();
}

void print_report(const ReadReport& report, const data::client::ReaderStatistics& statistics,
                  OutputForm form) {
  const double seconds = std::max(report.seconds, 1e-9);
  const double wait = std::min(duration<double>(statistics.wait).count() / seconds, 1.0);
  if (form == OutputForm::kJson) {
    document::Value value = document::make_object();
    value.set("event", document::make_string("summary"));
    value.set("samples", whole(report.samples));
    value.set("batches", whole(report.batches));
    value.set("failed", whole(report.failed));
    value.set("duplicates", whole(statistics.duplicates));
    value.set("through_memory", whole(statistics.arena_batches));
    value.set("seconds", document::make_number(report.seconds));
    value.set("first_batch_ms", document::make_number(report.first_batch_seconds * 1000));
    value.set("wait", document::make_number(wait));
    return print(document::write(value) + "\n");
  }
  char line[240];
  std::snprintf(line, sizeof line,
                "%llu samples in %llu batches, %.1f samples/s; the first after %.0f ms; the reader "
                "waited %.0f %% of its time\n",
                static_cast<unsigned long long>(report.samples),
                static_cast<unsigned long long>(report.batches),
                static_cast<double>(report.samples) / seconds, report.first_batch_seconds * 1000,
                wait * 100);
  print(line);
}

}  // namespace

int run_data_read(const DataReadOptions& options) {
  auto interrupts = Interrupts::make();   // before any other thread
  if (!interrupts) return report_error(interrupts.error(), kExitFailed);
  auto wanted = reader_options(options);
  if (!wanted) return report_error(wanted.error(), kExitUsage);
  const SystemClock clock;
  const MonotonicTime begin = clock.monotonic_now();
  auto reader = data::client::Reader::open(std::move(*wanted), clock);
  if (!reader) return report_error(reader.error(), kExitFailed);
  ReadReport report;
  const Status read = read_all(**reader, options, begin, *interrupts, report);
  print_report(report, (*reader)->statistics(), options.form);
  if (!read) return report_error(read.error(), kExitFailed);
  if (report.interrupted) return kExitStopped;
  return report.failed > 0 ? kExitFailed : kExitDone;
}

}  // namespace evener::app
