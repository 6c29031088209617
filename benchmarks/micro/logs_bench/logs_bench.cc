// Throughput of log capture: pipes -> lines -> records with times -> file and index, on one core,
// beside `cat > file` (the floor: the same bytes without looking at them) and svlogd (runit) where
// it is installed; and with four definitions of metrics, one line in ten having two of their values.
// Rounds are interleaved. One JSON object a line on stdout.
//
//   logs_bench [--mib 512] [--rounds 5] [--line 100] [--folder DIR] [--svlogd PATH]
#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/clock.h"
#include "os/unique_fd.h"
#include "training/logs/logs.h"
#include "training/metrics/metrics.h"
#include "training/metrics/scanner/scanner.h"

namespace evener::logs {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::uint64_t mib = 512;
  int rounds = 5;
  std::size_t line = 100;
  fs::path folder = fs::temp_directory_path() / "evener-logs-bench";
  std::string svlogd;
  std::vector<jobs::MetricDefinition> metrics;   // looked for; lines that have none otherwise
};

const std::vector<jobs::MetricDefinition> kMetrics = {{"train:loss", "train_loss=(.*?);"},
                                                      {"validation:loss", "validation_loss=(.*?);"},
                                                      {"rate", "images/s=([0-9.]+)"},
                                                      {"accuracy", "accuracy: ([0-9.]+)"}};

// What capture() hears, as a supervisor does.
class Metrics final : public LineListener {
 public:
  Metrics(metrics::MetricScanner scanner, std::unique_ptr<metrics::PointWriter> points)
      : scanner_(std::move(scanner)), points_(std::move(points)) {}
  void line(const std::string& host, WallTime time, std::string_view text) override {
    scanner_.scan(text, found_);
    for (const auto& one : found_)
      points_->write({time, host, one.value, kMetrics[one.definition].name});
  }
  void rest() override { points_->flush(); }

 private:
  metrics::MetricScanner scanner_;
  std::unique_ptr<metrics::PointWriter> points_;
  std::vector<metrics::Found> found_;
};

struct Run {
  double seconds = 0;
  double cpu_seconds = 0;  // of the reading side alone
  std::uint64_t printed = 0;
  std::uint64_t stored = 0;
  bool good = false;
};

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::exit(1);
}

// Programs on one core, the reader on another, as far as there are two.
void pin(int core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(core % static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)), &cores);
  ::sched_setaffinity(0, sizeof cores, &cores);
}

struct Pipe {
  os::UniqueFd out;
  os::UniqueFd in;
};

Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail("pipe");
  (void)::fcntl(ends[0], F_SETPIPE_SZ, 1 << 20);  // for all readers alike
  return {os::UniqueFd(ends[0]), os::UniqueFd(ends[1])};
}

// A program that prints `bytes` of lines as fast as it can.
pid_t start_printer(const Options& options, std::uint64_t bytes, std::size_t number,
                    std::vector<Pipe>& pipes) {
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  pin(0);
  const os::UniqueFd kept = std::move(pipes[number].in);
  const int out = kept.get();
  pipes.clear();  // so that a reader that fails is seen
  std::string text;
  const std::string plain = std::string(options.line - 1, 'x') + "\n";
  std::string told = "step 120: train_loss=0.24813; images/s=1180.5";
  told = options.metrics.empty() ? plain : told + plain.substr(std::min(plain.size() - 1, told.size()));
  while (text.size() < (64u << 10)) {
    text += told;
    for (int i = 0; i < 9; ++i) text += plain;
  }
  while (bytes > 0) {
    const ssize_t n = ::write(out, text.data(), std::min<std::uint64_t>(text.size(), bytes));
    if (n <= 0) ::_exit(1);
    bytes -= static_cast<std::uint64_t>(n);
  }
  ::_exit(0);
}

void capture(const Options& options, std::vector<Pipe>& pipes) {
  const SystemClock clock;
  auto scanner = metrics::MetricScanner::make(options.metrics);
  auto points = metrics::make_point_writer(options.folder / "metrics");
  if (!scanner || !points) ::_exit(1);
  Metrics listener(std::move(*scanner), std::move(*points));
  auto writer = make_log_writer(options.folder, clock, options.metrics.empty() ? nullptr : &listener);
  if (!writer) ::_exit(1);
  int host = 0;
  for (Pipe& pipe : pipes) {
    const std::string name = "algo-" + std::to_string(++host);
    if (!(*writer)->add_host(name, std::move(pipe.out))) ::_exit(1);
  }
  const bool drained = (*writer)->drain(std::chrono::hours(1)).has_value();
  ::_exit(drained && (*writer)->lost_lines() == 0 ? 0 : 1);
}

// Runs `program` with the pipe as its input and `file` as its output.
void become(const std::vector<std::string>& program, const Pipe& pipe, const fs::path& file) {
  const int out = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  ::dup2(pipe.out.get(), 0);
  ::dup2(out, 1);
  std::vector<char*> argv;
  for (const std::string& argument : program) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  ::_exit(1);
}

std::uint64_t bytes_in(const fs::path& folder) {
  std::uint64_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file()) bytes += entry.file_size();
  return bytes;
}

// An empty `program` is Evener's own capture.
Run run(const Options& options, const std::vector<std::string>& program, int hosts) {
  fs::remove_all(options.folder);
  fs::create_directories(options.folder);
  // svlogd reads its limits here: no rotation, as nothing else here rotates.
  if (program.size() > 2) std::ofstream(options.folder / "config") << "s0\nn0\n";
  std::vector<Pipe> pipes;
  for (int i = 0; i < hosts; ++i) pipes.push_back(make_pipe());
  const SystemClock clock;
  const auto start = clock.monotonic_now();
  const pid_t reader = ::fork();
  if (reader == 0) {
    pin(1);
    for (Pipe& pipe : pipes) pipe.in.reset();
    if (program.empty()) capture(options, pipes);
    become(program, pipes.front(), options.folder / "file");
  }
  Run run;
  run.printed = options.mib << 20;
  std::vector<pid_t> printers;
  for (std::size_t i = 0; i < pipes.size(); ++i)
    printers.push_back(start_printer(options, run.printed / pipes.size(), i, pipes));
  pipes.clear();
  int status = 0;
  rusage usage{};
  ::wait4(reader, &status, 0, &usage);
  run.seconds = std::chrono::duration<double>(clock.monotonic_now() - start).count();
  run.good = status == 0;
  for (const pid_t printer : printers) {
    ::waitpid(printer, &status, 0);
    run.good = run.good && status == 0;
  }
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  run.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  run.stored = bytes_in(options.folder);
  fs::remove_all(options.folder);
  return run;
}

void report(const Options& options, const char* name, int hosts, int round, const Run& run) {
  const double megabytes = static_cast<double>(run.printed) / 1e6;
  std::printf(
      "{\"bench\":\"logs\",\"reader\":\"%s\",\"hosts\":%d,\"round\":%d,\"line_bytes\":%zu,"
      "\"printed_bytes\":%llu,\"stored_bytes\":%llu,\"seconds\":%.4f,\"cpu_seconds\":%.4f,"
      "\"mb_per_second\":%.1f,\"mb_per_cpu_second\":%.1f,\"good\":%s}\n",
      name, hosts, round, options.line, static_cast<unsigned long long>(run.printed),
      static_cast<unsigned long long>(run.stored), run.seconds, run.cpu_seconds,
      megabytes / run.seconds, megabytes / run.cpu_seconds, run.good ? "true" : "false");
  std::fflush(stdout);
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string flag = argv[i];
    const char* value = argv[i + 1];
    if (flag == "--mib") options.mib = std::strtoull(value, nullptr, 10);
    if (flag == "--rounds") options.rounds = std::atoi(value);
    if (flag == "--line") options.line = std::strtoull(value, nullptr, 10);
    if (flag == "--folder") options.folder = fs::path(value) / "evener-logs-bench";
    if (flag == "--svlogd") options.svlogd = value;
  }
  if (options.svlogd.empty() && fs::exists("/usr/bin/svlogd")) options.svlogd = "/usr/bin/svlogd";
  return options;
}

int bench(const Options& options) {
  Options with_metrics = options;
  with_metrics.metrics = kMetrics;
  const std::vector<std::string> cat = {"cat"};
  const std::vector<std::string> svlogd = {options.svlogd, "-tt", "-l", "4096", "-b", "65536",
                                           options.folder.string()};
  if (options.svlogd.empty())
    std::printf("{\"bench\":\"logs\",\"reader\":\"svlogd\",\"skipped\":\"runit is not installed\"}\n");
  for (int round = 1; round <= options.rounds; ++round) {
    report(options, "evener", 1, round, run(options, {}, 1));
    report(options, "cat", 1, round, run(options, cat, 1));
    if (!options.svlogd.empty()) report(options, "svlogd", 1, round, run(options, svlogd, 1));
    report(options, "evener", 4, round, run(options, {}, 4));
    report(options, "evener, 4 metrics", 1, round, run(with_metrics, {}, 1));
  }
  return 0;
}

}  // namespace
}  // namespace evener::logs

int main(int argc, char** argv) {
  return evener::logs::bench(evener::logs::parse(argc, argv));
}
