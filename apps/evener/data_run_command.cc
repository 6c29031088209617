#include <algorithm>
#include <cstdio>

#include "base/log.h"
#include "evener/commands.h"
#include "evener/data_embedded.h"
#include "evener/data_options.h"
#include "evener/data_serving.h"
#include "evener/interrupts.h"
#include "evener/job_view.h"

namespace evener::app {
namespace {

using std::chrono::duration;
using std::chrono::milliseconds;

constexpr double kBytesPerGigabyte = 1e9;

struct RunReport {
  std::uint64_t samples = 0;
  std::uint64_t batches = 0;
  std::uint64_t body_bytes = 0;
  double seconds = 0;                 // from the start of the reader to the last batch, index included
  double first_batch_seconds = 0;     // from the start of the reader
  double wait = 0;                    // part of the reader's time
  data::statistics::Worker worker;
  std::string verdict;
  bool interrupted = false;
};

double since(MonotonicTime begin, const Clock& clock) {
  return duration<double>(clock.monotonic_now() - begin).count();
}

Result<RunReport> run(const DataRunOptions& options, const data::pipeline::Definition& definition,
                      Interrupts& interrupts) {
  const SystemClock clock;
  auto stores = DataStores::make();
  if (!stores) return tl::unexpected(std::move(stores.error()));
  const std::uint32_t threads = options.threads > 0 ? options.threads : usable_cpus();
  auto service = start_embedded(threads, (*stores)->set(), clock);
  if (!service) return tl::unexpected(std::move(service.error()));
  RunReport report;
  const auto before = service->worker->statistics();
  const MonotonicTime begin = clock.monotonic_now();
  RETURN_IF_ERROR(open_embedded_reader(*service, definition, clock));
  while (options.seconds == 0 || since(begin, clock) < options.seconds) {
    auto batch = service->reader->next();
    if (!batch) return tl::unexpected(std::move(batch.error()));
    if (!*batch) break;
    if (report.batches++ == 0) report.first_batch_seconds = since(begin, clock);
    report.samples += (*batch)->samples();
    report.body_bytes += (*batch)->body_bytes();
    report.interrupted = interrupts.wait(milliseconds(0)) > 0;
    if (report.interrupted) break;
  }
  report.seconds = since(begin, clock);
  report.wait = std::min(duration<double>(service->reader->statistics().wait).count() /
                             std::max(report.seconds, 1e-9), 1.0);
  report.worker = data::statistics::since(service->worker->statistics(), before);
  report.verdict = data::statistics::verdict({report.worker}, report.wait);
  return report;
}

void print_json(const RunReport& report) {
  document::Value value = document::make_object();
  value.set("event", document::make_string("summary"));
  value.set("images_per_second",
            document::make_number(static_cast<double>(report.samples) / report.seconds));
  value.set("samples", document::make_integer(static_cast<std::int64_t>(report.samples)));
  value.set("batches", document::make_integer(static_cast<std::int64_t>(report.batches)));
  value.set("seconds", document::make_number(report.seconds));
  value.set("first_batch_ms", document::make_number(report.first_batch_seconds * 1000));
  value.set("gigabytes_per_second",
            document::make_number(static_cast<double>(report.body_bytes) / kBytesPerGigabyte /
                                  report.seconds));
  value.set("reader_wait", document::make_number(report.wait));
  value.set("verdict", document::make_string(report.verdict));
  value.set("worker", to_document(report.worker));
  print(document::write(value) + "\n");
}

void print_text(const RunReport& report) {
  char line[200];
  std::snprintf(line, sizeof line,
                "%.1f images/s: %llu samples in %llu batches, %.2f s; the first batch after %.0f ms\n",
                static_cast<double>(report.samples) / report.seconds,
                static_cast<unsigned long long>(report.samples),
                static_cast<unsigned long long>(report.batches), report.seconds,
                report.first_batch_seconds * 1000);
  print(line);
  if (report.worker.faulty_samples > 0) {
    print(std::to_string(report.worker.faulty_samples) + " samples could not be made:\n");
    for (const auto& fault : report.worker.faults) print("  " + fault.id + ": " + fault.message + "\n");
  }
  print(report.verdict + "\n");
}

}  // namespace

int run_data_run(const DataRunOptions& options) {
  set_log_level(LogLevel::kError);        // worker and dispatcher are parts of this program
  auto interrupts = Interrupts::make();   // before any other thread
  if (!interrupts) return report_error(interrupts.error(), kExitFailed);
  auto definition = load_pipeline(options.pipeline);
  if (!definition) return report_error(definition.error(), kExitUsage);
  auto report = run(options, *definition, *interrupts);
  if (!report) return report_error(report.error(), kExitFailed);
  if (options.form == OutputForm::kJson) {
    print_json(*report);
  } else {
    print_text(*report);
  }
  return report->interrupted ? kExitStopped : kExitDone;
}

}  // namespace evener::app
