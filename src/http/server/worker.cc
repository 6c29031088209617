#include "http/server/worker.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <vector>

#include "http/server/response_text.h"

namespace evener::http {
namespace {

// Limits of connections are kept to within this, so that a thread with nothing to do wakes no
// more often.
constexpr std::chrono::milliseconds kSweepGap{1'000};

}  // namespace

void ServerState::count_closed() {
  if (connections_.fetch_sub(1) != 1) return;
  const MutexLock lock(mutex_);
  closed_.notify_all();
}

void ServerState::wait_until_closed(std::chrono::milliseconds limit) {
  mutex_.lock();
  closed_.wait_for(mutex_, limit, [this] { return connections() == 0; });
  mutex_.unlock();
}

Worker::Worker(const ServerOptions& options)
    : shortest_limit_(std::min({kSweepGap, options.header_timeout, options.body_timeout,
                                options.idle_timeout, options.write_timeout})),
      work_(loop_.get_executor()),
      timer_(loop_) {}

void Worker::run(const std::shared_ptr<Worker>& self) {
  thread_ = std::jthread([self] {
    self->thread_id_ = std::this_thread::get_id();
    self->loop_.run();
  });
}

void Worker::stop() {
  post([this] {
    each_connection(&Connection::close);
    timer_.cancel();
    work_.reset();
  });
  if (thread_.joinable()) thread_.join();
  {
    const MutexLock lock(mutex_);
    stopped_ = true;
  }
  // What was posted after the thread had ended holds connections, and they hold this worker.
  loop_.restart();
  loop_.poll();
}

void Worker::post(std::function<void()> task) {
  const MutexLock lock(mutex_);
  if (!stopped_) asio::post(loop_, std::move(task));
}

void Worker::add(std::shared_ptr<Connection> connection) {
  Connection& added = *connection;
  connections_.insert(std::move(connection));
  added.start();
}

void Worker::remove(const std::shared_ptr<Connection>& connection) {
  connections_.erase(connection);
}

void Worker::each_connection(void (Connection::*act)()) {
  // A copy, since a connection may take itself out.
  const std::vector<std::shared_ptr<Connection>> all(connections_.begin(), connections_.end());
  for (const auto& connection : all) (connection.get()->*act)();
}

void Worker::drain() { each_connection(&Connection::drain); }

void Worker::set_deadline(Connection& connection, std::chrono::milliseconds from_now) {
  const MonotonicTime now = clock_.monotonic_now();
  connection.deadline = now + from_now;
  if (connection.deadline < planned_) {
    plan_sweep(std::max(connection.deadline, now + shortest_limit_));
  }
}

void Worker::plan_sweep(MonotonicTime at) {
  if (at >= planned_) return;
  planned_ = at;
  timer_.expires_at(at);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) sweep();
  });
}

void Worker::sweep() {
  const MonotonicTime now = clock_.monotonic_now();
  planned_ = MonotonicTime::max();
  std::vector<std::shared_ptr<Connection>> late;
  MonotonicTime next = MonotonicTime::max();
  for (const auto& connection : connections_) {
    if (connection->deadline <= now) {
      late.push_back(connection);
    } else {
      next = std::min(next, connection->deadline);
    }
  }
  if (next != MonotonicTime::max()) plan_sweep(std::max(next, now + shortest_limit_));
  for (const auto& connection : late) connection->end_time();
}

const std::string& Worker::date() {
  const auto second = std::chrono::floor<std::chrono::seconds>(clock_.wall_now());
  if (second != date_second_) {
    date_second_ = second;
    date_ = http_date(second);
  }
  return date_;
}

}  // namespace evener::http
