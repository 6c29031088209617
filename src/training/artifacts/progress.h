// Counts bytes from several threads and reports them at most every 100 ms.
//
// Used by:  staging and packing in this folder.
// Threads:  add() from any thread; finish() after they have ended.
// Fails:    never.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.h"
#include "training/artifacts/artifacts.h"

namespace evener::artifacts {

class ProgressMeter {
 public:
  ProgressMeter(const ProgressSink& sink, std::uint64_t total_bytes);
  void add(std::uint64_t bytes);
  void finish();
  std::uint64_t done() const { return done_.load(); }

 private:
  const ProgressSink& sink_;
  const std::uint64_t total_;
  SystemClock clock_;
  std::atomic<std::uint64_t> done_{0};
  std::atomic<std::int64_t> next_report_;  // nanoseconds of the monotonic clock
};

}  // namespace evener::artifacts
