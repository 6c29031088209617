// Keeps the way outside of one job open: an uplink that ends is started again, with longer and
// longer pauses, and the user is told.
//
// Used by:  sandbox.
// Threads:  one.
// Fails:    start() with why the first uplink could not be started; later trouble is a notice.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "os/unique_fd.h"
#include "training/sandbox/uplink.h"

namespace evener::sandbox {

class OutsideWay {
 public:
  // Starts the program and does not wait for it.
  static Result<std::unique_ptr<OutsideWay>> start(const std::string& program, JobNetwork& network,
                                                const Subnet& subnet);

  // Waits until the way is open for the first time.
  Status connect(std::chrono::milliseconds timeout);
  // Readable when attend() has something to do.
  int fd() const { return events_.get(); }
  // Takes what happened and answers what the user should know of it.
  std::optional<std::string> attend();

 private:
  enum class State { kOpen, kPausing, kStarting, kClosed };

  OutsideWay(std::string program, JobNetwork& network, const Subnet& subnet)
      : program_(std::move(program)), network_(network), subnet_(subnet) {}
  Status start_uplink();
  std::string pause();
  std::optional<std::string> finish_start();
  std::string lost(const std::string& why);
  void watch(int fd);

  const std::string program_;
  JobNetwork& network_;
  const Subnet subnet_;
  State state_ = State::kStarting;
  int failures_ = 0;             // in a row; an uplink that stayed up for long ends the row
  MonotonicTime opened_{};
  std::unique_ptr<Uplink> uplink_;
  os::UniqueFd events_;          // epoll: what the present state waits for
  os::UniqueFd timer_;           // while pausing
};

}  // namespace evener::sandbox
