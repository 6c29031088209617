#include "evener/data_bench_transport.h"

#include <fcntl.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/document.h"
#include "base/ids.h"
#include "data/client/client.h"
#include "data/transport/transport.h"
#include "evener/commands.h"
#include "evener/job_view.h"
#include "os/poll.h"
#include "os/process.h"

namespace evener::app {
namespace {

namespace wire = data::transport;
using std::chrono::milliseconds;

constexpr double kWarmSeconds = 0.5;
// As many as the slots of a plain ring beside it; more only leave the caches.
constexpr std::uint64_t kBodiesInFlight = 4;
constexpr std::uint64_t kLeastMemoryBytes = 8u << 20;
constexpr milliseconds kStartLimit{10'000};
constexpr std::size_t kTokenLength = 32;
constexpr std::uint64_t kBatchesPerEpoch = 1ull << 40;

// CPU seconds of a process so far; 0 is this one.
double cpu_of(pid_t pid) {
  clockid_t clock = 0;
  timespec time{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

struct WorkerProcess {
  std::unique_ptr<os::Process> process;
  os::UniqueFd keep_alive;                // its standard input
  wire::WorkerPlace place;
};

Result<std::string> read_line(int fd) {
  std::string line;
  char byte = 0;
  while (line.size() < 16) {
    auto ready = os::wait_ready(fd, POLLIN, kStartLimit);
    if (!ready) return tl::unexpected(std::move(ready.error()));
    if (!*ready || ::read(fd, &byte, 1) != 1)
      return failure(ErrorCode::kUnavailable, "the worker process did not start");
    if (byte == '\n') break;
    line += byte;
  }
  return line;
}

Result<WorkerProcess> start_worker(const TransportBenchOptions& options, const std::string& token) {
  std::array<int, 2> input{};
  std::array<int, 2> output{};
  if (::pipe2(input.data(), O_CLOEXEC) != 0 || ::pipe2(output.data(), O_CLOEXEC) != 0)
    return errno_failure(errno, "pipe");
  const os::UniqueFd input_end(input[0]);
  const os::UniqueFd output_end(output[1]);
  const os::UniqueFd port_line(output[0]);
  WorkerProcess worker;
  worker.keep_alive.reset(input[1]);
  worker.place.id = 1;
  auto program = os::self_executable();
  if (!program) return tl::unexpected(program.error());
  SystemRandom random;
  const std::string local = "evener-bench-" + random_suffix(random, kTokenLength);
  os::SpawnOptions spawn;
  spawn.argv = {*program, "data", "bench", "transport-worker", "--kind", options.kind, "--bytes",
                std::to_string(options.bytes), "--local", local};
  if (!options.touch.empty()) spawn.argv.insert(spawn.argv.end(), {"--touch", options.touch});
  if (options.checksum) spawn.argv.emplace_back("--checksum");
  spawn.environment = {"EVENER_DATA_TOKEN=" + token};
  spawn.descriptors = {{input_end.get(), STDIN_FILENO},
                       {output_end.get(), STDOUT_FILENO},
                       {STDERR_FILENO, STDERR_FILENO}};
  spawn.die_with_parent = true;
  auto process = os::spawn(spawn);
  if (!process) return tl::unexpected(process.error());
  worker.process = std::move(*process);
  auto port = read_line(port_line.get());
  if (!port) return tl::unexpected(port.error());
  worker.place.address = "127.0.0.1:" + *port;
  auto host = wire::host_identity();
  if (!host) return tl::unexpected(host.error());
  worker.place.host = *host;
  worker.place.local = local;
  return worker;
}

// The least of a dispatcher: one feed without end, one worker that sends all of it unasked.
Result<std::unique_ptr<wire::ControlServer>> start_dispatcher(const TransportBenchOptions& options,
                                                              const WorkerProcess& worker,
                                                              const std::string& token,
                                                              const Clock& clock) {
  wire::ControlServerOptions server;
  server.listen.token = token;
  const auto axis = static_cast<std::uint32_t>(options.bytes);
  const wire::ReaderWelcome welcome{
      1, 1, {{{"bytes", wire::DType::kU8, {axis}}}}, 1, kBatchesPerEpoch, 0, {worker.place}};
  wire::ControlEvents events;
  events.on_hello = [welcome](const std::shared_ptr<wire::Peer>& peer, const wire::FrameView&) {
    peer->send(frame_of(welcome));
    return ok();
  };
  events.on_frame = [](const std::shared_ptr<wire::Peer>&, const wire::FrameView&) { return ok(); };
  events.on_gone = [](const std::shared_ptr<wire::Peer>&, const Error&) {};
  return wire::open_control_server(std::move(server), std::move(events), clock);
}

// In lanes that do not wait for each other: memory is the limit, not the additions.
std::uint64_t sum_of(const std::byte* bytes, std::uint64_t count) {
  std::array<std::uint64_t, 8> lanes{};
  std::array<std::uint64_t, 8> words{};
  for (std::uint64_t at = 0; at + sizeof words <= count; at += sizeof words) {
    std::memcpy(words.data(), bytes + at, sizeof words);
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) lanes[lane] += words[lane];
  }
  std::uint64_t sum = 0;
  for (const std::uint64_t lane : lanes) sum += lane;
  for (std::uint64_t at = count - count % sizeof words; at < count; ++at)
    sum += std::to_integer<std::uint64_t>(bytes[at]);
  return sum;
}

struct Measured {
  double seconds = 0;
  double messages = 0;
  double gigabytes = 0;
  double reader_cpu = 0;
  double worker_cpu = 0;
};

class Meter {
 public:
  Meter(const TransportBenchOptions& options, data::client::Reader& reader, pid_t worker,
        const Clock& clock)
      : touching_(touching_of(options, "reader")), reader_(reader), worker_(worker), clock_(clock) {}

  Result<Measured> measure(double seconds) {
    auto warm = take_for(kWarmSeconds);
    if (!warm) return warm;
    const double reader_before = cpu_of(0);
    const double worker_before = cpu_of(worker_);
    auto measured = take_for(seconds);
    if (!measured) return measured;
    measured->reader_cpu = cpu_of(0) - reader_before;
    measured->worker_cpu = cpu_of(worker_) - worker_before;
    return measured;
  }

 private:
  Result<Measured> take_for(double seconds) {
    // Reading the clock for each small batch would be much of what is measured.
    constexpr std::uint64_t kLookBytes = 4u << 20;
    Measured measured;
    const MonotonicTime begin = clock_.monotonic_now();
    std::uint64_t looked = 0;
    while (measured.seconds < seconds) {
      auto batch = reader_.next();
      if (!batch) return tl::unexpected(batch.error());
      const std::uint64_t bytes = (*batch)->body_bytes();
      if (touching_ == Touching::kAll) seen_ = seen_ + sum_of((*batch)->memory().get(), bytes);
      measured.messages += 1;
      measured.gigabytes += static_cast<double>(bytes) / 1e9;
      looked += bytes;
      if (looked < kLookBytes) continue;
      looked = 0;
      measured.seconds = std::chrono::duration<double>(clock_.monotonic_now() - begin).count();
    }
    return measured;
  }

  const Touching touching_;
  data::client::Reader& reader_;
  const pid_t worker_;
  const Clock& clock_;
  volatile std::uint64_t seen_ = 0;       // keeps the compiler from leaving the reading out
};

void show(const TransportBenchOptions& options, const Measured& measured) {
  const double rate = measured.gigabytes / measured.seconds;
  const double messages = measured.messages / measured.seconds;
  const double reader = measured.reader_cpu / measured.gigabytes;
  const double worker = measured.worker_cpu / measured.gigabytes;
  if (options.form == OutputForm::kJson) {
    document::Value value = document::make_object();
    value.set("kind", document::make_string(options.kind));
    value.set("bytes", document::make_integer(static_cast<std::int64_t>(options.bytes)));
    value.set("gigabytes_per_second", document::make_number(rate));
    value.set("messages_per_second", document::make_number(messages));
    value.set("reader_cpu_seconds_per_gigabyte", document::make_number(reader));
    value.set("worker_cpu_seconds_per_gigabyte", document::make_number(worker));
    print(document::write(value) + "\n");
    return;
  }
  std::array<char, 200> line{};
  std::snprintf(line.data(), line.size(),
                "%.2f GB/s, %.0f batches/s; CPU s/GB: reader %.3f, worker %.3f\n", rate, messages,
                reader, worker);
  print(line.data());
}

Result<Measured> run_bench(const TransportBenchOptions& options) {
  const SystemClock clock;
  SystemRandom random;
  const std::string token = random_suffix(random, kTokenLength);
  auto worker = start_worker(options, token);
  if (!worker) return tl::unexpected(worker.error());
  auto dispatcher = start_dispatcher(options, *worker, token, clock);
  if (!dispatcher) return tl::unexpected(dispatcher.error());
  data::client::ReaderOptions reader_options{
      .dispatcher = "127.0.0.1:" + std::to_string((*dispatcher)->port()), .token = token};
  if (options.kind == "tcp") reader_options.local = data::client::LocalPath::kNever;
  reader_options.memory_bytes = std::max(kBodiesInFlight * options.bytes, kLeastMemoryBytes);
  auto reader = data::client::Reader::open(reader_options, clock);
  if (!reader) return tl::unexpected(reader.error());
  auto measured = Meter(options, **reader, worker->process->pid(), clock).measure(options.seconds);
  (*reader)->close();
  worker->keep_alive.reset();
  static_cast<void>(worker->process->wait(kStartLimit));
  return measured;
}

}  // namespace

int run_data_bench_transport(const TransportBenchOptions& options) {
  auto measured = run_bench(options);
  if (!measured) return report_error(measured.error(), kExitFailed);
  show(options, *measured);
  return kExitDone;
}

}  // namespace evener::app
