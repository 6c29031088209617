#include "data/statistics/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace evener::data::statistics {
namespace {

using document::Value;

enum class Nature { kGrows, kNow };
enum class Unit { kNumber, kNanoseconds };

// Every number of a worker once: documents, differences and metrics go by this table.
struct Row {
  std::string_view name;
  std::uint64_t Worker::*value;
  Nature nature;
  Unit unit;
  std::string_view metric;
  std::string_view what;
};
constexpr std::array kRows = {
    Row{"threads", &Worker::threads, Nature::kNow, Unit::kNumber, "threads", "Compute threads"},
    Row{"elapsed_ns", &Worker::elapsed_ns, Nature::kGrows, Unit::kNanoseconds, "uptime_seconds_total",
        "Time since the worker started"},
    Row{"read_busy_ns", &Worker::read_busy_ns, Nature::kGrows, Unit::kNanoseconds,
        "read_busy_seconds_total", "Time spent reading samples"},
    Row{"read_bytes", &Worker::read_bytes, Nature::kGrows, Unit::kNumber, "read_bytes_total",
        "Bytes of samples read"},
    Row{"decode_busy_ns", &Worker::decode_busy_ns, Nature::kGrows, Unit::kNanoseconds,
        "decode_busy_seconds_total", "Time spent making samples of their bytes"},
    Row{"samples", &Worker::samples, Nature::kGrows, Unit::kNumber, "samples_total", "Samples made"},
    Row{"lease_wait_ns", &Worker::lease_wait_ns, Nature::kGrows, Unit::kNanoseconds,
        "lease_wait_seconds_total", "Time compute threads had nothing leased"},
    Row{"credit_wait_ns", &Worker::credit_wait_ns, Nature::kGrows, Unit::kNanoseconds,
        "credit_wait_seconds_total", "Time compute threads waited for room at readers"},
    Row{"read_wait_ns", &Worker::read_wait_ns, Nature::kGrows, Unit::kNanoseconds,
        "read_wait_seconds_total", "Time compute threads waited for bytes of a sample"},
    Row{"sent_units", &Worker::sent_units, Nature::kGrows, Unit::kNumber, "sent_batches_total",
        "Batches sent"},
    Row{"sent_bytes", &Worker::sent_bytes, Nature::kGrows, Unit::kNumber, "sent_bytes_total",
        "Bytes of batches sent"},
    Row{"failed_units", &Worker::failed_units, Nature::kGrows, Unit::kNumber, "failed_batches_total",
        "Batches that could not be made"},
    Row{"faulty_samples", &Worker::faulty_samples, Nature::kGrows, Unit::kNumber,
        "faulty_samples_total", "Samples skipped or replaced"},
    Row{"leased_units", &Worker::leased_units, Nature::kNow, Unit::kNumber, "leased_batches",
        "Batches leased and not begun"},
    Row{"open_units", &Worker::open_units, Nature::kNow, Unit::kNumber, "open_batches",
        "Batches begun and not sent"},
    Row{"read_ahead_samples", &Worker::read_ahead_samples, Nature::kNow, Unit::kNumber,
        "read_ahead_samples", "Samples whose bytes are read ahead"},
    Row{"readers", &Worker::readers, Nature::kNow, Unit::kNumber, "readers", "Connected readers"},
};

constexpr double kNanos = 1e9;

double share(std::uint64_t part, double whole) {
  return whole > 0 ? static_cast<double>(part) / whole : 0;
}

std::string percent(double part) {
  return std::to_string(static_cast<int>(std::lround(100 * part))) + " %";
}

// Enough digits to read the same number again.
std::string number_text(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

}  // namespace

Value to_document(const Worker& worker) {
  Value value = document::make_object();
  for (const Row& row : kRows)
    value.set(row.name, document::make_integer(static_cast<std::int64_t>(worker.*row.value)));
  std::vector<Value> faults;
  for (const Fault& fault : worker.faults) {
    Value one = document::make_object();
    one.set("id", document::make_string(fault.id));
    one.set("message", document::make_string(fault.message));
    faults.push_back(std::move(one));
  }
  value.set("faults", document::make_list(std::move(faults)));
  return value;
}

Result<Worker> from_document(const Value& value) {
  Worker worker;
  for (const Row& row : kRows) {
    const Value* number = value.find(row.name);
    if (number == nullptr || number->kind != document::Kind::kInteger || number->integer < 0)
      return failure(ErrorCode::kInvalidArgument,
                     "statistics: " + std::string(row.name) + " is no count");
    worker.*row.value = static_cast<std::uint64_t>(number->integer);
  }
  for (const Value& fault : value.items_at("faults")) {
    if (worker.faults.size() == kMaxFaults) break;
    worker.faults.push_back({std::string(fault.text_at("id")), std::string(fault.text_at("message"))});
  }
  return worker;
}

Worker since(const Worker& now, const Worker& before) {
  Worker difference = now;
  for (const Row& row : kRows) {
    std::uint64_t& value = difference.*row.value;
    if (row.nature == Nature::kGrows) value -= std::min(value, before.*row.value);
  }
  return difference;
}

std::string verdict(const std::vector<Worker>& workers, double reader_wait) {
  constexpr double kWaits = 0.1;       // of the readers' time: worth doing something
  constexpr double kBusy = 0.7;        // of the compute threads' time
  Worker all;
  double thread_time = 0;
  for (const Worker& worker : workers) {
    for (const Row& row : kRows) all.*row.value += worker.*row.value;
    thread_time += static_cast<double>(worker.threads) * static_cast<double>(worker.elapsed_ns);
  }
  if (all.sent_units == 0) return "no batch was sent";
  const double busy =
      share(all.read_busy_ns + all.decode_busy_ns + all.read_wait_ns, thread_time);
  const double credit = share(all.credit_wait_ns, thread_time);
  const std::string cores = " on " + std::to_string(all.threads) + (all.threads == 1 ? " core" : " cores");
  const std::string waits =
      reader_wait < 0 ? "" : ", readers wait " + percent(reader_wait) + " of their time";
  const bool readers_wait = reader_wait < 0 ? busy >= kBusy : reader_wait >= kWaits;
  if (readers_wait && busy >= kBusy) {
    const bool reading = all.read_busy_ns + all.read_wait_ns > all.decode_busy_ns;
    return std::string("input-bound by ") + (reading ? "reading" : "decode") + cores + waits;
  }
  if (readers_wait && credit > 1 - kBusy)
    return "input-bound by the way to the readers: workers wait " + percent(credit) +
           " of their time for room there" + waits;
  if (readers_wait)
    return "input-bound, though workers are idle " + percent(1 - busy) + " of their time" + waits;
  if (credit > kWaits)
    return "reader-bound: workers wait " + percent(credit) + " of their time for room at readers";
  return "balanced: workers are busy " + percent(busy) + " of their time" + waits;
}

void Exposition::add(Kind kind, std::string_view name, std::string_view what,
                     std::string_view labels, double value) {
  if (last_ != name) {
    last_ = name;
    text_ += "# HELP " + last_ + " " + std::string(what) + "\n";
    text_ += "# TYPE " + last_ + (kind == Kind::kCounter ? " counter\n" : " gauge\n");
  }
  text_ += last_;
  if (!labels.empty()) text_ += "{" + std::string(labels) + "}";
  text_ += " " + number_text(value) + "\n";
}

void expose(const std::vector<Labelled>& workers, Exposition& exposition) {
  for (const Row& row : kRows) {
    const auto kind =
        row.nature == Nature::kGrows ? Exposition::Kind::kCounter : Exposition::Kind::kGauge;
    for (const Labelled& one : workers) {
      const auto value = static_cast<double>(one.worker.*row.value);
      exposition.add(kind, "evener_data_worker_" + std::string(row.metric), row.what, one.labels,
                     row.unit == Unit::kNanoseconds ? value / kNanos : value);
    }
  }
}

}  // namespace evener::data::statistics
