// How much all requests and answers in flight may hold together.
//
// Used by:  connection.
// Threads:  a budget is shared; a Share belongs to one thread.
// Fails:    never.
#pragma once

#include <atomic>
#include <cstdint>

namespace evener::http {

class MemoryBudget {
 public:
  explicit MemoryBudget(std::uint64_t limit) : limit_(limit) {}
  bool has_room() const { return used_.load(std::memory_order_relaxed) < limit_; }

  // What one connection holds of it.
  class Share {
   public:
    explicit Share(MemoryBudget& budget) : budget_(budget) {}
    ~Share() { hold(0); }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;
    void hold(std::uint64_t bytes) {
      if (bytes == held_) return;
      budget_.used_.fetch_add(bytes - held_, std::memory_order_relaxed);   // may wrap round
      held_ = bytes;
    }

   private:
    MemoryBudget& budget_;
    std::uint64_t held_ = 0;
  };

 private:
  const std::uint64_t limit_;
  std::atomic<std::uint64_t> used_{0};
};

}  // namespace evener::http
