// One thread of the server: its event loop, its connections and their time limits.
//
// Used by:  server, listener, connection, one_reply.
// Threads:  post() and stop() from any; the rest as marked.
// Fails:    never.
#pragma once

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <unordered_set>
#include <utility>

#include "base/clock.h"
#include "base/mutex.h"
#include "http/server/memory_budget.h"
#include "http/server/request_parser.h"
#include "http/server/server.h"

namespace evener::http {

namespace asio = boost::asio;

// A connection as its worker sees it. All calls on the worker's thread.
class Connection {
 public:
  virtual ~Connection() = default;
  virtual void start() = 0;
  virtual void end_time() = 0;    // the deadline has passed
  virtual void drain() = 0;       // ends after what has come
  virtual void close() = 0;
  MonotonicTime deadline = MonotonicTime::max();
};

// What all connections of a server have in common.
class ServerState {
 public:
  ServerState(ServerOptions given, OnRequest handle)
      : options(std::move(given)),
        on_request(std::move(handle)),
        parser_limits{options.header_limit_bytes, options.header_limit, options.body_limit_bytes},
        budget(options.memory_limit_bytes) {}

  const ServerOptions options;
  const OnRequest on_request;
  const ParserLimits parser_limits;
  MemoryBudget budget;
  std::atomic<bool> draining{false};

  int connections() const { return connections_.load(); }
  void count_opened() { connections_.fetch_add(1); }
  void count_closed();
  // Returns after `limit` at the latest.
  void wait_until_closed(std::chrono::milliseconds limit);

 private:
  std::atomic<int> connections_{0};
  Mutex mutex_;
  std::condition_variable_any closed_;
};

class Worker {
 public:
  explicit Worker(const ServerOptions& options);

  void run(const std::shared_ptr<Worker>& self);   // starts the thread
  void stop();                                     // closes all connections, joins the thread

  asio::io_context& loop() { return loop_; }
  // Runs `task` on the thread, from any thread; after stop() it is dropped.
  void post(std::function<void()> task);
  bool is_current_thread() const { return thread_id_.load() == std::this_thread::get_id(); }

  // On the thread:
  void add(std::shared_ptr<Connection> connection);
  void remove(const std::shared_ptr<Connection>& connection);
  void drain();
  void set_deadline(Connection& connection, std::chrono::milliseconds from_now);
  const std::string& date();

 private:
  void plan_sweep(MonotonicTime at);
  void sweep();
  void each_connection(void (Connection::*act)());

  SystemClock clock_;
  const std::chrono::milliseconds shortest_limit_;
  asio::io_context loop_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  asio::steady_timer timer_;
  MonotonicTime planned_ = MonotonicTime::max();
  std::unordered_set<std::shared_ptr<Connection>> connections_;
  std::chrono::sys_seconds date_second_{};
  std::string date_;
  Mutex mutex_;
  bool stopped_ GUARDED_BY(mutex_) = false;
  std::atomic<std::thread::id> thread_id_{};
  std::jthread thread_;
};

}  // namespace evener::http
