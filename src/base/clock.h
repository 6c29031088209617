// Time as an argument: wall time for people and files, monotonic time for durations.
//
// Used by:  everything that needs the time; only clock.cc reads it from the system.
// Threads:  a Clock may be shared between threads.
// Fails:    never.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace evener {

// Milliseconds since the Unix epoch, UTC. May jump back when the machine's clock is set.
using WallTime = std::chrono::sys_time<std::chrono::milliseconds>;
// Nanoseconds of CLOCK_MONOTONIC: the same for all processes of one boot, never jumps back.
using MonotonicTime = std::chrono::time_point<std::chrono::steady_clock, std::chrono::nanoseconds>;

inline std::int64_t to_millis(WallTime time) { return time.time_since_epoch().count(); }
inline WallTime from_millis(std::int64_t millis) {
  return WallTime(std::chrono::milliseconds(millis));
}

class Clock {
 public:
  virtual ~Clock() = default;
  virtual WallTime wall_now() const = 0;
  virtual MonotonicTime monotonic_now() const = 0;
};

class SystemClock final : public Clock {
 public:
  WallTime wall_now() const override;
  MonotonicTime monotonic_now() const override;
};

// Stands still until told to move; set_wall() may go back, as a machine's clock can.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(WallTime start) : wall_millis_(to_millis(start)) {}
  WallTime wall_now() const override { return from_millis(wall_millis_.load()); }
  MonotonicTime monotonic_now() const override {
    return MonotonicTime(std::chrono::nanoseconds(monotonic_nanos_.load()));
  }
  void advance(std::chrono::milliseconds by) {
    wall_millis_ += by.count();
    monotonic_nanos_ += std::chrono::nanoseconds(by).count();
  }
  void set_wall(WallTime now) { wall_millis_ = to_millis(now); }

 private:
  std::atomic<std::int64_t> wall_millis_;
  std::atomic<std::int64_t> monotonic_nanos_{0};
};

}  // namespace evener
