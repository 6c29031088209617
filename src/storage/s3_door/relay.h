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
#include <vector>

#include "base/clock.h"
#include "os/unique_fd.h"
#include "storage/s3_door/request_head.h"
#include "storage/s3_door/without_keys.h"

namespace evener::storage {

struct RelayKeys {
  const std::vector<http::AccessKey>& keys;
  const http::Verifier& verifier;
  const Clock& clock;
};

class Relay {
 public:
  // Without a server the first request is answered 503.
  Relay(os::UniqueFd client, os::UniqueFd server, RelayKeys keys);

  pollfd client() const;             // what to wait for
  pollfd server() const;
  // After one of them is ready, by what poll(2) said of them.
  bool move(short client_events, short server_events);
  MonotonicTime last_moved() const { return last_moved_; }

 private:
  enum class Next { kHead, kBody, kChunks, kWholeBody };

  void read_client();
  void read_server();
  bool take_some();                  // from `came_` to `to_server_`
  bool take_head();
  void take_body();
  bool take_whole_body();
  void forward(std::size_t bytes);   // from the front of `came_`
  bool is_over() const;

  os::UniqueFd client_;
  os::UniqueFd server_;
  RelayKeys keys_;
  MonotonicTime last_moved_;
  Next next_ = Next::kHead;
  std::string came_{};               // from the client, not looked at yet
  std::string to_server_{};
  std::string to_client_{};
  std::uint64_t left_ = 0;           // of a body
  ChunkedBody chunks_{};
  std::string head_bytes_{};         // of the request whose whole body is awaited
  RequestHead head_{};
  bool client_ended_ = false;        // sends no more
  bool server_ended_ = false;
  bool told_server_ = false;         // that the client sends no more
};

}  // namespace evener::storage
