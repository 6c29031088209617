// The thread of a reader: its connections to dispatcher and workers.
//
// Used by:  reader.cc.
// Threads:  one of its own; the public methods from any.
// Fails:    wait_welcome(): the code of a refusal, kUnavailable, kTimedOut.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "data/client/client.h"
#include "data/client/feed_state.h"
#include "data/client/handover.h"
#include "data/client/link.h"
#include "data/client/reorder_window.h"
#include "data/client/worker_stream.h"

namespace evener::data::client {

class ReaderLoop {
 public:
  static Result<std::unique_ptr<ReaderLoop>> start(const ReaderOptions& options,
                                                   const Clock& clock);
  ~ReaderLoop() { close(); }
  // Ends the thread and all connections; next() is woken with kCancelled.
  void close();

  struct Welcomed {
    std::shared_ptr<const FeedDescription> description;
    UnitOrder order;
  };
  Result<Welcomed> wait_welcome(std::stop_token stop);
  Handover& handover() { return handover_; }
  // Of the members that this thread knows.
  ReaderStatistics statistics() const;

 private:
  class DispatcherSink;
  struct Counts {
    std::uint64_t duplicates = 0;
    std::uint64_t failed = 0;
    std::uint64_t arena = 0;
  };

  ReaderLoop(const ReaderOptions& options, const Clock& clock,
             std::shared_ptr<transport::WakeQueue> wake);
  Status open();
  void run(const std::stop_token& stop);
  void turn(const std::stop_token& stop);
  void flush_streams();
  void serve_dispatcher(std::uint32_t events);
  void serve_stream(std::uint64_t id, std::uint32_t events);
  Status on_dispatcher_frame(const transport::FrameView& frame);
  Status on_welcome(const transport::FrameView& frame);
  Status on_failed(const transport::FrameView& frame);
  void connect_dispatcher();
  void lose_dispatcher(const Error& why);
  void set_workers(const std::vector<transport::WorkerPlace>& workers);
  void connect_stream(WorkerStream& stream);
  void lose_stream(WorkerStream& stream, const Error& why);
  void place_arrivals();
  void tell_progress();
  void grant_credit();
  std::uint64_t free_bytes() const;
  std::uint64_t target_bytes() const;
  void tick();
  void check_patience();
  std::string sign_of_life();
  void fail(Error why);
  void watch(Link& link, std::uint64_t tag);
  void publish_counts();
  std::uint32_t open_streams() const;

  const ReaderOptions options_;
  const Clock& clock_;
  const std::shared_ptr<transport::WakeQueue> wake_;
  transport::Endpoint dispatcher_endpoint_;
  std::string host_;
  std::unique_ptr<transport::TlsSide> tls_;
  os::UniqueFd epoll_;
  Handover handover_;

  Link dispatcher_;
  bool welcomed_ = false;                   // on this connection
  MonotonicTime dispatcher_retry_at_;
  std::unique_ptr<FeedState> feed_;
  std::optional<ReorderWindow> window_;
  std::vector<Arrival> ready_;
  std::map<std::uint32_t, std::unique_ptr<WorkerStream>> streams_;  // by the worker's id
  std::vector<std::unique_ptr<WorkerStream>> lost_;      // still on the stack of this turn
  std::uint64_t next_stream_id_;
  std::optional<Unit> told_;                // the last that was acknowledged
  MonotonicTime now_;                       // of this turn
  MonotonicTime next_tick_;
  MonotonicTime next_ping_;
  std::chrono::nanoseconds wait_told_{0};                // of the wait, to the dispatcher
  MonotonicTime wait_told_at_{};
  std::string last_trouble_;                // why a worker or the dispatcher was lost
  Counts counted_;

  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<Result<Welcomed>> outcome_ GUARDED_BY(mutex_);
  ReaderStatistics published_ GUARDED_BY(mutex_);
  std::jthread thread_;                     // last: ends first
};

}  // namespace evener::data::client
