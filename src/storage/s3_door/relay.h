// One client's connection and its own to the server: bytes go both ways as they come, but for the
// requests that are made anew.
//
// Used by:  s3_door.
// Threads:  one thread at a time; no call blocks.
// Fails:    move() is false once the connection is over.
#pragma once

#include <poll.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "os/unique_fd.h"
#include "storage/s3_door/request_head.h"
#include "storage/s3_door/without_keys.h"

namespace evener::storage {

// What the bodies that are awaited whole may take, those of all relays together.
class BodyBudget {
 public:
  explicit BodyBudget(std::uint64_t limit_bytes) : left_(limit_bytes) {}
  bool take(std::uint64_t bytes) {
    if (bytes > left_) return false;
    left_ -= bytes;
    return true;
  }
  void give_back(std::uint64_t bytes) { left_ += bytes; }

 private:
  std::uint64_t left_;
};

// Bytes on their way to a side, sent from the front.
class Outgoing {
 public:
  std::size_t size() const { return bytes_.size() - sent_; }
  bool empty() const { return size() == 0; }
  std::string_view view() const { return std::string_view(bytes_).substr(sent_); }
  void add(std::string_view bytes) { bytes_.append(bytes); }
  void add(std::string&& bytes);
  void drop(std::size_t bytes);      // what was sent
  void clear() { *this = {}; }
  std::string& tail() { return bytes_; }   // to append to

 private:
  std::string bytes_{};
  std::size_t sent_ = 0;
};

struct RelayKeys {
  const std::vector<http::AccessKey>& keys;
  const http::Verifier& verifier;
  const Clock& clock;
  BodyBudget& bodies;
};

class Relay {
 public:
  // Without a server the first request is answered 503.
  Relay(os::UniqueFd client, os::UniqueFd server, RelayKeys keys);
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  pollfd client() const;             // what to wait for
  pollfd server() const;
  // After one of them is ready, by what poll(2) said of them.
  bool move(short client_events, short server_events);
  MonotonicTime last_moved() const { return last_moved_; }
  // Whether the server has had a whole request and has said nothing since.
  bool awaits_answer() const { return awaits_answer_; }

 private:
  enum class Next { kHead, kBody, kChunks, kWholeBody, kThrownAway };

  void read_client();
  void read_server();
  bool take_some();                  // from `came_` to `to_server_`
  bool take_head();
  void take_body();
  bool take_whole_body();
  void begin_whole_body(std::size_t head_bytes);
  void give_back_body();
  void forward(std::size_t bytes);   // from the front of `came_`
  bool is_over() const;

  os::UniqueFd client_;
  os::UniqueFd server_;
  RelayKeys keys_;
  MonotonicTime last_moved_;
  Next next_ = Next::kHead;
  std::string came_{};               // from the client, not looked at yet
  Outgoing to_server_{};
  Outgoing to_client_{};
  std::uint64_t left_ = 0;           // of a body
  ChunkedBody chunks_{};
  std::string head_bytes_{};         // of the request whose whole body is awaited
  RequestHead head_{};
  std::uint64_t held_ = 0;           // of the budget, until the body is on its way
  bool awaits_answer_ = false;
  bool client_ended_ = false;        // sends no more
  bool server_ended_ = false;
  bool told_server_ = false;         // that the client sends no more
};

}  // namespace evener::storage
