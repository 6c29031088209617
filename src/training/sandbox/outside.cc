#include "training/sandbox/outside.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace evener::sandbox {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstPause{100};
constexpr milliseconds kLongestPause{5'000};
// About half a minute of trying.
constexpr int kMostFailures = 10;
// An uplink that was up for so long did not end for the reason that ended the one before.
constexpr std::chrono::seconds kLongUp{60};

milliseconds pause_after(int failures) {
  milliseconds pause = kFirstPause;
  for (int i = 1; i < failures && pause < kLongestPause; ++i) pause *= 2;
  return std::min(pause, kLongestPause);
}

}  // namespace

Result<std::unique_ptr<OutsideWay>> OutsideWay::start(const std::string& program, JobNetwork& network,
                                                const Subnet& subnet) {
  std::unique_ptr<OutsideWay> outside(new OutsideWay(program, network, subnet));
  outside->events_.reset(::epoll_create1(EPOLL_CLOEXEC));
  if (!outside->events_) return errno_failure(errno, "epoll_create1");
  RETURN_IF_ERROR(outside->start_uplink());
  return outside;
}

// The descriptors that were watched before are closed, which takes them out of the set.
void OutsideWay::watch(int fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  ::epoll_ctl(events_.get(), EPOLL_CTL_ADD, fd, &event);
}

Status OutsideWay::start_uplink() {
  uplink_.reset();
  Result<std::unique_ptr<Uplink>> uplink = Uplink::start(program_, network_, subnet_);
  if (!uplink) return tl::unexpected<Error>(uplink.error());
  uplink_ = std::move(*uplink);
  state_ = State::kStarting;
  watch(uplink_->ready_fd());
  return ok();
}

Status OutsideWay::connect(milliseconds timeout) {
  RETURN_IF_ERROR(uplink_->connect(network_, timeout));
  state_ = State::kOpen;
  opened_ = SystemClock().monotonic_now();
  watch(uplink_->pidfd());
  return ok();
}

std::optional<std::string> OutsideWay::attend() {
  pollfd waiting{events_.get(), POLLIN, 0};
  if (state_ == State::kClosed || ::poll(&waiting, 1, 0) <= 0) return std::nullopt;
  switch (state_) {
    case State::kOpen: return lost(uplink_->end());
    case State::kPausing:
      timer_.reset();
      if (Status started = start_uplink(); !started) return lost(started.error().message);
      return std::nullopt;
    case State::kStarting: return finish_start();
    case State::kClosed: break;
  }
  return std::nullopt;
}

std::optional<std::string> OutsideWay::finish_start() {
  if (Status up = connect(milliseconds(0)); !up) return lost(up.error().message);
  return "the way outside the job's network is open again";
}

std::string OutsideWay::lost(const std::string& why) {
  const MonotonicTime now = SystemClock().monotonic_now();
  if (state_ == State::kOpen && now - opened_ >= kLongUp) failures_ = 0;
  uplink_.reset();
  ++failures_;
  const std::string closed = "the way outside the job's network is closed: " + why;
  if (failures_ < kMostFailures) return closed + pause();
  state_ = State::kClosed;
  return closed + "; it was tried " + std::to_string(failures_) + " times and stays closed";
}

// What is said of the pause.
std::string OutsideWay::pause() {
  const milliseconds length = pause_after(failures_);
  timer_.reset(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  itimerspec when{};
  when.it_value.tv_sec = length.count() / 1000;
  when.it_value.tv_nsec = length.count() % 1000 * 1'000'000;
  if (!timer_ || ::timerfd_settime(timer_.get(), 0, &when, nullptr) != 0) {
    state_ = State::kClosed;
    return "; it stays closed";
  }
  state_ = State::kPausing;
  watch(timer_.get());
  return "; it is being opened again";
}

}  // namespace evener::sandbox
