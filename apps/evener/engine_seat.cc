#include "evener/engine_seat.h"

#include <utility>

#include "base/log.h"
#include "evener/machine.h"
#include "os/process.h"
#include "training/backends/local/local.h"

namespace evener::app {
namespace {

constexpr std::chrono::milliseconds kSeatRetry{50};
constexpr std::chrono::milliseconds kListenTurn{5000};   // the destructor does not wait for it

}  // namespace

EngineSeat::EngineSeat(SeatOptions options, os::FileSystem& files, const Clock& clock)
    : options_(std::move(options)), files_(files), clock_(clock) {}

Result<std::unique_ptr<EngineSeat>> EngineSeat::start(SeatOptions options, os::FileSystem& files,
                                                      const Clock& clock) {
  std::unique_ptr<EngineSeat> seat(new EngineSeat(std::move(options), files, clock));
  auto taken = seat->try_take();
  if (!taken) return tl::unexpected(taken.error());
  EngineSeat* self = seat.get();
  seat->holder_ = std::jthread([self](std::stop_token stop) { self->hold(stop); });
  return seat;
}

EngineSeat::~EngineSeat() {
  if (holder_.joinable()) {
    holder_.request_stop();
    if (taken()) engine_->wake();
    holder_.join();
  }
  listener_.request_stop();
  if (taken()) wake_engine(options_.home);   // it need not wait for its turn to see the stop
}

Result<bool> EngineSeat::try_take() {
  auto lock = os::FileLock::try_acquire(options_.home.lock());
  if (!lock) return tl::unexpected(lock.error());
  if (!lock->has_value()) return false;
  auto store = store::open_store(options_.home.root);
  if (!store) return tl::unexpected(store.error());
  auto program = os::self_executable();
  if (!program) return tl::unexpected(program.error());
  backends::LocalOptions local{.home = options_.home.root,
                               .program = *program,
                               .engine_kind = options_.kind,
                               .isolation = options_.isolation,
                               .masked_paths = masked_paths(options_.home.root),
                               .host_services = options_.host_services,
                               .host_environment = host_environment()};
  auto engine = engine::make_engine(
      {.cluster = machine_cluster(), .observer = options_.observer}, **store, clock_,
      [&](backends::EventSink sink) {
        return backends::make_local_backend(std::move(local), files_, clock_, std::move(sink));
      });
  if (!engine) return tl::unexpected(engine.error());
  lock_ = std::move(*lock);
  store_ = std::move(*store);
  engine_ = std::move(*engine);
  taken_ = true;
  return true;
}

void EngineSeat::hold(std::stop_token stop) {
  while (!taken()) {
    if (stop.stop_requested()) return;
    std::this_thread::sleep_for(kSeatRetry);
    if (auto taken = try_take(); !taken)
      log_line(LogLevel::kWarning, "engine", "could not take over the home",
               {{"error", taken.error().message}});
  }
  listener_ = std::jthread([this](std::stop_token listen_stop) { listen(listen_stop); });
  engine_->run(stop);
}

void EngineSeat::listen(std::stop_token stop) {
  auto listener = os::listen_unix(options_.home.wake_socket());
  if (!listener) {
    log_line(LogLevel::kWarning, "engine", "no wake-ups from other processes",
             {{"error", listener.error().message}});
    return;
  }
  while (!stop.stop_requested()) {
    auto peer = os::accept_unix(listener->get(), kListenTurn);
    if (peer && peer->has_value()) engine_->wake();
  }
  // The seat is still ours: nobody else's socket can be there.
  [[maybe_unused]] const auto removed = files_.remove_file(options_.home.wake_socket());
}

void wake_engine(const Home& home) {
  // Connecting is the whole message.
  [[maybe_unused]] const auto connected = os::connect_unix(home.wake_socket());
}

void clear_seat(const Home& home, os::FileSystem& files) {
  const auto lock = os::FileLock::try_acquire(home.lock());
  if (!lock || !lock->has_value()) return;
  [[maybe_unused]] const auto removed = files.remove_file(home.wake_socket());
}

Result<Attended> attend(const Home& home) {
  {
    auto lock = os::FileLock::try_acquire(home.lock());
    if (!lock) return tl::unexpected(lock.error());
    if (!lock->has_value()) return Attended::kBefore;
  }
  RETURN_IF_ERROR(start_background_engine(home, sandbox::best_isolation()));
  return Attended::kNow;
}

Status start_background_engine(const Home& home, sandbox::Isolation isolation) {
  auto program = os::self_executable();
  if (!program) return tl::unexpected(program.error());
  os::SpawnOptions options;
  options.argv = {*program, "engine", "--home", home.root.string(), "--isolation",
                  isolation == sandbox::Isolation::kPlain ? "plain" : "namespaces"};
  options.environment = current_environment();
  options.new_session = true;
  auto process = os::spawn(options);
  if (!process) return tl::unexpected(process.error());
  return ok();
}

}  // namespace evener::app
