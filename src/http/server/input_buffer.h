// The bytes of a connection that no request has taken yet; small while the connection is idle.
//
// Used by:  connection.
// Threads:  one thread.
// Fails:    never.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

namespace evener::http {

class InputBuffer {
 public:
  static constexpr std::size_t kLeast = 2u << 10;        // of an idle connection
  static constexpr std::size_t kBodyRoom = 16u << 10;    // for one read of a body

  std::string_view view() const { return {bytes_.get() + begin_, end_ - begin_}; }
  void add(std::size_t bytes) { end_ += bytes; }
  void drop(std::size_t bytes) {
    begin_ += bytes;
    if (begin_ == end_) begin_ = end_ = 0;
  }
  // Free bytes after view(): all that there are, at least half of `wanted`.
  std::span<char> room(std::size_t wanted) {
    if (capacity_ - end_ < wanted / 2 || capacity_ < wanted) {
      move_to(std::max(capacity_, wanted) >= view().size() + wanted / 2
                  ? std::max(capacity_, wanted)
                  : 2 * (view().size() + wanted));
    }
    return {bytes_.get() + end_, capacity_ - end_};
  }
  // Back to the least size, if no more than that waits.
  void give_back() {
    if (capacity_ > kLeast && view().size() < kLeast / 2) move_to(kLeast);
  }
  std::size_t bytes_beyond_least() const { return capacity_ > kLeast ? capacity_ - kLeast : 0; }

 private:
  void move_to(std::size_t capacity) {
    const std::string_view kept = view();
    auto bytes = std::make_unique_for_overwrite<char[]>(capacity);
    if (!kept.empty()) std::memcpy(bytes.get(), kept.data(), kept.size());
    end_ = kept.size();
    begin_ = 0;
    bytes_ = std::move(bytes);
    capacity_ = capacity;
  }

  std::unique_ptr<char[]> bytes_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace evener::http
