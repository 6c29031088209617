#include "storage/s3_server/s3_server.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <thread>

#include "base/log.h"
#include "base/mutex.h"
#include "os/process.h"
#include "os/socket.h"
#include "os/unique_fd.h"
#include "storage/s3_server/restarts.h"
#include "storage/s3_server/seaweed.h"
#include "storage/s3_server/seaweed_lock.h"

namespace evener::storage {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kReadyLimit{60'000};
constexpr milliseconds kReadyPoll{200};
constexpr milliseconds kHealthEvery{10'000};
constexpr int kMostFailedLooks = 3;
constexpr milliseconds kTermGrace{5'000};
constexpr milliseconds kLookPatience{2'000};
constexpr std::uint64_t kPortsReadBytes = 1u << 10;
constexpr std::uint64_t kLogReadBytes = 1u << 20;

class SeaweedServer final : public S3Server {
 public:
  SeaweedServer(S3ServerOptions options, os::FileLock lock, os::UniqueFd wake,
                os::FileSystem& files, const Clock& clock, Random& random)
      : options_(std::move(options)),
        lock_(std::move(lock)),
        files_(files),
        clock_(clock),
        random_(random),
        wake_(std::move(wake)),
        client_(http::make_client({.connect_timeout = milliseconds(1'000),
                                   .stall_timeout = std::chrono::seconds(10)})),
        store_(make_s3_store({.access = [this] { return Result<S3Access>(this->access()); },
                              .connections = 1,
                              .retry = {.patience = kLookPatience}},
                             {.client = *client_,
                              .clock = clock,
                              .random = random,
                              .pause = real_pause()})),
        access_({.key = options_.key}),
        thread_([this](const std::stop_token& stop) { run(stop); }) {}

  ~SeaweedServer() override {
    thread_.request_stop();
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(wake_.get(), &one, sizeof one);
    thread_.join();
  }
  SeaweedServer(const SeaweedServer&) = delete;
  SeaweedServer& operator=(const SeaweedServer&) = delete;

  S3ServerStatus status() const override {
    MutexLock lock(mutex_);
    return now_;
  }

  S3Access access() const override {
    MutexLock lock(mutex_);
    return access_;
  }

  Status wait_ready(milliseconds limit) override {
    MutexLock lock(mutex_);
    const bool ready = changed_.wait_for(
        mutex_, limit, [&] { return now_.state == S3ServerState::kReady; });
    if (ready) return ok();
    return failure(ErrorCode::kTimedOut,
                   "the S3 server does not answer" +
                       (now_.trouble.empty() ? "" : ": " + now_.trouble) + "; its log is " +
                       log().string());
  }

 private:
  os::fs::path log() const { return options_.folder / "server.log"; }
  os::fs::path ports_file() const { return options_.folder / "ports"; }

  void run(const std::stop_token& stop) {
    Restarts restarts;
    while (!stop.stop_requested()) {
      const MonotonicTime started = clock_.monotonic_now();
      const std::string trouble = run_once(stop);
      if (stop.stop_requested()) break;
      const milliseconds delay = restarts.ended(started, clock_.monotonic_now());
      log_line(LogLevel::kWarning, "s3", "server is started again",
               {{"why", trouble}, {"in_ms", std::to_string(delay.count())}});
      set_state(S3ServerState::kWaiting, trouble);
      wait(-1, delay);
    }
    set_state(S3ServerState::kStopped, "");
  }

  // One life of the child; answers why it is over.
  std::string run_once(const std::stop_token& stop) {
    set_state(S3ServerState::kStarting, status().trouble);
    auto child = launch();
    if (!child) return child.error().message;
    std::string trouble = wait_until_up(**child, stop);
    if (trouble.empty()) trouble = watch(**child, stop);
    end(**child);
    remove_sockets(files_, ports_);
    return trouble;
  }

  // Where it served S3 the last time. If we were killed then, its sockets are still there: nobody
  // else can have come to its end.
  std::optional<std::uint16_t> earlier_port() {
    const auto text = os::read_text(files_, ports_file(), kPortsReadBytes);
    const auto earlier = text ? read_ports(*text) : std::nullopt;
    if (!earlier) return std::nullopt;
    remove_sockets(files_, *earlier);
    return earlier->s3;
  }

  Result<std::unique_ptr<os::Process>> launch() {
    auto ports = find_ports(earlier_port());
    if (!ports) return tl::unexpected(std::move(ports.error()));
    ports_ = *ports;
    RETURN_IF_ERROR(os::write_private_text(files_, ports_file(), ports_text(ports_)));
    RETURN_IF_ERROR(os::write_private_text(files_, options_.folder / "identities.json",
                                           seaweed_identities(options_.key, options_.read_only_key)));
    auto lock = make_seaweed_lock(files_, random_, options_.folder);
    if (!lock) return tl::unexpected(std::move(lock.error()));
    // What it printed in its last life is kept once.
    [[maybe_unused]] const Status kept = files_.rename(log(), log().string() + ".last");
    const os::UniqueFd output(
        ::open(log().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600));
    if (!output) return errno_failure(errno, "open " + log().string());
    const std::string folder = options_.folder.string();
    os::SpawnOptions spawn;
    spawn.argv = seaweed_command(options_, *ports);
    spawn.environment = {"PATH=" + options_.path, "HOME=" + folder,
                         "TMPDIR=" + folder + "/tmp"};
    spawn.environment.insert(spawn.environment.end(), lock->begin(), lock->end());
    spawn.directory = folder;
    spawn.descriptors = {{output.get(), STDOUT_FILENO}, {output.get(), STDERR_FILENO}};
    spawn.new_session = true;       // Ctrl-C is for us: the server ends after what uses it
    spawn.die_with_parent = true;
    return os::spawn(spawn);
  }

  std::string wait_until_up(os::Process& child, const std::stop_token& stop) {
    const MonotonicTime end = clock_.monotonic_now() + kReadyLimit;
    std::string trouble = "it said no endpoint";
    while (clock_.monotonic_now() < end && !stop.stop_requested()) {
      if (os::pidfd_ended(child.pidfd())) return "it ended while it started";
      const auto output = os::read_text(files_, log(), kLogReadBytes);
      const auto endpoint = output ? announced_endpoint(*output) : std::nullopt;
      if (endpoint) {
        set_endpoint(*endpoint);
        Status made = store_->make_bucket(options_.bucket);
        if (made) made = write_access(files_, options_.access_file, access());
        if (made) {
          set_state(S3ServerState::kReady, "");
          return "";
        }
        trouble = made.error().message;
      }
      wait(child.pidfd(), kReadyPoll);
    }
    return trouble;
  }

  std::string watch(os::Process& child, const std::stop_token& stop) {
    const Uri look{"s3", options_.bucket, ".evener/look"};
    for (int failed = 0; !stop.stop_requested();) {
      wait(child.pidfd(), kHealthEvery);
      if (stop.stop_requested()) break;
      if (os::pidfd_ended(child.pidfd())) return "it ended";
      const auto seen = store_->list(look);
      failed = seen ? 0 : failed + 1;
      if (failed == kMostFailedLooks) return "it does not answer: " + seen.error().message;
    }
    return "";
  }

  void end(os::Process& child) {
    (void)child.kill(SIGTERM);
    auto ended = child.wait(kTermGrace);
    if (ended && *ended) return;
    (void)child.kill(SIGKILL);
    (void)child.wait(kTermGrace);
  }

  // Until the child ends, a stop is asked for, or the time is over.
  void wait(int pidfd, milliseconds time) {
    pollfd polled[] = {{.fd = wake_.get(), .events = POLLIN, .revents = 0},
                       {.fd = pidfd, .events = POLLIN, .revents = 0}};
    ::poll(polled, pidfd < 0 ? 1 : 2, static_cast<int>(time.count()));
  }

  void set_endpoint(const std::string& endpoint) {
    MutexLock lock(mutex_);
    access_.endpoint = endpoint;
  }

  void set_state(S3ServerState state, std::string trouble) {
    {
      MutexLock lock(mutex_);
      if (state == S3ServerState::kStarting) ++now_.starts;
      now_.state = state;
      now_.trouble = std::move(trouble);
    }
    changed_.notify_all();
  }

  const S3ServerOptions options_;
  const os::FileLock lock_;                // of the folder
  os::FileSystem& files_;
  const Clock& clock_;
  Random& random_;
  const os::UniqueFd wake_;                // an event that a stop sets
  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  std::unique_ptr<http::Client> client_;
  std::unique_ptr<S3Store> store_;
  S3Access access_ GUARDED_BY(mutex_);
  S3ServerStatus now_ GUARDED_BY(mutex_);
  SeaweedPorts ports_;                     // the thread's own
  std::jthread thread_;                    // last: it uses the rest
};

}  // namespace

std::string_view to_string(S3ServerState state) {
  switch (state) {
    case S3ServerState::kStarting: return "starting";
    case S3ServerState::kReady: return "ready";
    case S3ServerState::kWaiting: return "waiting";
    case S3ServerState::kStopped: return "stopped";
  }
  return "";
}

Result<S3ServerState> s3_server_state_from(std::string_view text) {
  for (const auto state : {S3ServerState::kStarting, S3ServerState::kReady, S3ServerState::kWaiting,
                           S3ServerState::kStopped}) {
    if (to_string(state) == text) return state;
  }
  return failure(ErrorCode::kInvalidArgument, "'" + std::string(text) + "' is no server state");
}

Result<std::unique_ptr<S3Server>> S3Server::start(S3ServerOptions options, os::FileSystem& files,
                                                  const Clock& clock, Random& random) {
  if (::access(options.program.c_str(), X_OK) != 0)
    return errno_failure(errno, "run " + options.program);
  for (const char* part : {"data", "tmp"})
    RETURN_IF_ERROR(files.make_directories(options.folder / part));
  RETURN_IF_ERROR(files.set_mode(options.folder, 0700));
  auto lock = os::FileLock::try_acquire(options.folder / "lock");
  if (!lock) return tl::unexpected(std::move(lock.error()));
  if (!*lock)
    return failure(ErrorCode::kUnavailable, "another evener runs the S3 server of " +
                                                options.folder.string() +
                                                "; stop it, or choose another --home");
  os::UniqueFd wake(::eventfd(0, EFD_CLOEXEC));
  if (!wake) return errno_failure(errno, "eventfd");
  return std::make_unique<SeaweedServer>(std::move(options), std::move(**lock), std::move(wake),
                                         files, clock, random);
}

}  // namespace evener::storage
