// The worker's connection to its dispatcher, made again whenever it breaks.
//
// Used by:  worker.cc.
// Threads:  send() and state() from any; one thread of its own connects, receives and calls the
//           events.
// Fails:    never; why there is no connection is in state().
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/mutex.h"
#include "data/transport/transport.h"

namespace evener::data::worker {

struct LinkEvents {
  std::function<void()> on_welcome;                 // a new life: no feed, no lease is known
  std::function<Status(const transport::FrameView&)> on_frame;
  std::function<std::string()> statistics;          // a frame, each second
};

class DispatcherLink {
 public:
  DispatcherLink(transport::ConnectOptions options, transport::WorkerHello hello,
                 LinkEvents events, const Clock& clock);
  // False while there is no connection.
  bool send(std::string frame);
  std::string state() const;
  // Ends the thread; send() is harmless afterwards.
  void stop();
  std::uint32_t worker() const { return worker_.load(); }

 private:
  void run(const std::stop_token& stop);
  Status live_once(const std::stop_token& stop);
  Status receive_all(transport::ControlClient& client, const std::stop_token& stop);

  const transport::ConnectOptions options_;
  const transport::WorkerHello hello_;
  const LinkEvents events_;
  const Clock& clock_;
  std::atomic<std::uint32_t> worker_{0};            // id by the dispatcher
  mutable Mutex mutex_;
  std::condition_variable_any wake_;
  std::shared_ptr<transport::ControlClient> client_ GUARDED_BY(mutex_);
  std::string state_ GUARDED_BY(mutex_) = "connecting";
  std::jthread thread_;                             // last: it uses all of the above
};

}  // namespace evener::data::worker
