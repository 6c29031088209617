#include "data/worker/dispatcher_link.h"

#include <algorithm>

#include "base/log.h"

namespace evener::data::worker {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kConnect{5'000};
constexpr milliseconds kFirstDelay{100};
constexpr milliseconds kLongestDelay{2'000};
constexpr milliseconds kPing{500};              // the dispatcher gives a silent worker up after 3 s
constexpr milliseconds kStatistics{1'000};

}  // namespace

DispatcherLink::DispatcherLink(transport::ConnectOptions options, transport::WorkerHello hello,
                               LinkEvents events, const Clock& clock)
    : options_(std::move(options)),
      hello_(std::move(hello)),
      events_(std::move(events)),
      clock_(clock),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

bool DispatcherLink::send(std::string frame) {
  std::shared_ptr<transport::ControlClient> client;
  {
    const MutexLock lock(mutex_);
    client = client_;
  }
  return client && client->send(std::move(frame));
}

std::string DispatcherLink::state() const {
  const MutexLock lock(mutex_);
  return state_;
}

void DispatcherLink::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void DispatcherLink::run(const std::stop_token& stop) {
  milliseconds delay = kFirstDelay;
  std::string told;
  while (!stop.stop_requested()) {
    const std::uint32_t before = worker_.load();
    Status lived = live_once(stop);
    if (stop.stop_requested()) return;
    if (worker_.load() != before) delay = kFirstDelay;
    const std::string why = lived ? "the dispatcher closed the connection" : lived.error().message;
    if (why != told)
      log_line(LogLevel::kWarning, "worker", "no dispatcher; tries again",
               {{"dispatcher", transport::to_string(options_.endpoint)}, {"why", why}});
    told = why;
    const MutexLock lock(mutex_);
    state_ = why;
    wake_.wait_for(mutex_, stop, delay, [] { return false; });
    delay = std::min(2 * delay, kLongestDelay);
  }
}

// One connection from its hello to its end.
Status DispatcherLink::live_once(const std::stop_token& stop) {
  auto connected = transport::connect_control(options_, transport::frame_of(hello_), kConnect);
  if (!connected) return tl::unexpected(std::move(connected.error()));
  const std::shared_ptr<transport::ControlClient> client = std::move(*connected);
  const std::stop_callback wake(stop, [&] { client->shut_down(); });
  auto first = client->receive(kConnect);
  if (!first) return tl::unexpected(std::move(first.error()));
  if (!*first) return failure(ErrorCode::kTimedOut, "the dispatcher does not answer");
  auto welcome = transport::read_worker_welcome((*first)->view());
  if (!welcome) return tl::unexpected(std::move(welcome.error()));
  worker_ = welcome->worker;
  events_.on_welcome();
  {
    const MutexLock lock(mutex_);
    client_ = client;
    state_ = "connected";
  }
  log_line(LogLevel::kInfo, "worker", "connected",
           {{"dispatcher", transport::to_string(options_.endpoint)}});
  Status ended = receive_all(*client, stop);
  const MutexLock lock(mutex_);
  client_.reset();
  return ended;
}

Status DispatcherLink::receive_all(transport::ControlClient& client, const std::stop_token& stop) {
  MonotonicTime pinged = clock_.monotonic_now();
  MonotonicTime told = pinged;
  while (!stop.stop_requested()) {
    auto frame = client.receive(kPing);
    if (!frame) return tl::unexpected(std::move(frame.error()));
    if (*frame) RETURN_IF_ERROR(events_.on_frame((*frame)->view()));
    const MonotonicTime now = clock_.monotonic_now();
    if (now - told >= kStatistics) {
      RETURN_IF_ERROR(client.send(events_.statistics()));
      told = pinged = now;
    } else if (now - pinged >= kPing) {
      RETURN_IF_ERROR(client.send(transport::ping_frame()));
      pinged = now;
    }
  }
  return ok();
}

}  // namespace evener::data::worker
