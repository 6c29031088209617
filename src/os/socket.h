// Unix stream sockets that carry lines of text, for processes of one machine.
//
// Used by:  backends/local (engine <-> supervisor), engine (wake-ups).
// Threads:  a LineConnection belongs to one thread at a time; send_line() and receive_line() may
//           run in two.
// Fails:    kUnavailable when the peer is gone or nobody listens; kLimitExceeded on a line over
//           the limit; kPermissionDenied when the peer is another user.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/unique_fd.h"

namespace evener::os {

inline constexpr std::size_t kMaxSocketLineBytes = 16u << 20;

// Paths may be longer than sun_path: they are bound and reached through their folder's
// descriptor. The socket is mode 0600; a stale one is replaced.
Result<UniqueFd> listen_unix(const std::filesystem::path& path);
// Nothing if no one connects within `timeout`. Peers of another uid are refused (root may).
Result<std::optional<UniqueFd>> accept_unix(int listener, std::chrono::milliseconds timeout);
Result<UniqueFd> connect_unix(const std::filesystem::path& path);

class LineConnection {
 public:
  explicit LineConnection(UniqueFd socket);
  int fd() const { return socket_.get(); }
  // Sends `line` and a newline; `line` holds none. Waits while the peer is slow, at most 10 s.
  Status send_line(std::string_view line);
  // Nothing if no whole line came within `timeout`; kUnavailable at the peer's end.
  Result<std::optional<std::string>> receive_line(std::chrono::milliseconds timeout);

 private:
  std::optional<std::string> take_buffered_line();

  UniqueFd socket_;
  std::string buffered_;
  std::size_t taken_ = 0;     // bytes of buffered_ already given away
  std::size_t searched_ = 0;  // no newline from taken_ up to here
};

// An exclusive lock on a file, held until released or the process ends (flock(2)).
class FileLock {
 public:
  // Nothing if another process holds it.
  static Result<std::optional<FileLock>> try_acquire(const std::filesystem::path& path);

 private:
  explicit FileLock(UniqueFd file) : file_(std::move(file)) {}
  UniqueFd file_;
};

// Who holds the lock of a file, as far as the kernel tells: not for a process that is hidden from us.
std::optional<pid_t> lock_holder(const std::filesystem::path& path);

}  // namespace evener::os
