// Whether samples are worth reading ahead: where their bytes come from a page cache, another thread
// would only take time from those that compute.
//
// Used by:  unit_queue.h.
// Threads:  one at a time.
// Fails:    never.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace evener::data::worker {

struct ReadLimits {
  std::uint64_t bytes = 0;                  // read and not yet taken
  std::size_t samples = 0;
};

class ReadPolicy {
 public:
  bool reads_ahead() const { return reads_ahead_; }

  // Answers whether the decision changed.
  bool count_read(std::chrono::nanoseconds took) {
    read_ += took;
    return ++reads_ % kSamples == 0 && decide();
  }
  void count_made(std::chrono::nanoseconds took) { made_ += took; }

 private:
  static constexpr std::uint64_t kSamples = 16;
  static constexpr int kBegin = 8;          // reading takes over an eighth of computing: it begins
  static constexpr int kEnd = 16;

  bool decide() {
    const bool before = reads_ahead_;
    if (read_ * kBegin > made_) reads_ahead_ = true;
    if (read_ * kEnd < made_) reads_ahead_ = false;
    read_ = made_ = std::chrono::nanoseconds(0);
    return before != reads_ahead_;
  }

  std::chrono::nanoseconds read_{0};
  std::chrono::nanoseconds made_{0};
  std::uint64_t reads_ = 0;
  bool reads_ahead_ = false;
};

}  // namespace evener::data::worker
