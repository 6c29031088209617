#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <sstream>
#include <string>

#include "base/clock.h"
#include "os/poll.h"
#include "os/socket.h"

namespace evener::os {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kSendTimeout{10'000};
constexpr std::size_t kReceiveBytes = 64u << 10;

milliseconds left_until(MonotonicTime deadline) {
  return std::chrono::ceil<milliseconds>(deadline - SystemClock().monotonic_now());
}

bool would_block(int error) { return error == EAGAIN; }  // EWOULDBLOCK on Linux

Error peer_gone(int error, std::string_view attempted) {
  if (error == EPIPE || error == ECONNRESET)
    return {ErrorCode::kUnavailable, std::string(attempted) + ": the peer is gone"};
  return errno_error(error, attempted);
}

}  // namespace

LineConnection::LineConnection(UniqueFd socket) : socket_(std::move(socket)) {}

Status LineConnection::send_line(std::string_view line) {
  if (line.find('\n') != std::string_view::npos)
    return failure(ErrorCode::kInvalidArgument, "send line: it holds a newline");
  if (line.size() > kMaxSocketLineBytes)
    return failure(ErrorCode::kLimitExceeded, "send line: over " +
                                                  std::to_string(kMaxSocketLineBytes) + " bytes");
  std::string whole(line);
  whole += '\n';
  const MonotonicTime deadline = SystemClock().monotonic_now() + kSendTimeout;
  std::string_view rest = whole;
  while (!rest.empty()) {
    const ssize_t sent =
        ::send(socket_.get(), rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(sent));
      continue;
    }
    if (errno == EINTR) continue;
    if (!would_block(errno)) return tl::unexpected(peer_gone(errno, "send line"));
    auto ready = wait_ready(socket_.get(), POLLOUT, left_until(deadline));
    if (!ready) return tl::unexpected(std::move(ready.error()));
    if (!*ready) {
      // Part of the line may be out: what follows would be read as its end.
      ::shutdown(socket_.get(), SHUT_RDWR);
      return failure(ErrorCode::kTimedOut, "send line: the peer did not read for 10 s");
    }
  }
  return ok();
}

std::optional<std::string> LineConnection::take_buffered_line() {
  const auto end = buffered_.find('\n', searched_);
  if (end == std::string::npos) {
    buffered_.erase(0, taken_);
    taken_ = 0;
    searched_ = buffered_.size();
    return std::nullopt;
  }
  std::string line = buffered_.substr(taken_, end - taken_);
  taken_ = searched_ = end + 1;
  return line;
}

Result<std::optional<std::string>> LineConnection::receive_line(milliseconds timeout) {
  const MonotonicTime start = SystemClock().monotonic_now();
  constexpr milliseconds kLongest = std::chrono::hours(24 * 20);
  const MonotonicTime deadline = start + std::min(timeout, kLongest);
  std::array<char, kReceiveBytes> chunk;
  while (true) {
    if (auto line = take_buffered_line()) return line;
    if (buffered_.size() > kMaxSocketLineBytes)
      return failure(ErrorCode::kLimitExceeded, "receive line: over " +
                                                    std::to_string(kMaxSocketLineBytes) + " bytes");
    const ssize_t got = ::recv(socket_.get(), chunk.data(), chunk.size(), MSG_DONTWAIT);
    if (got > 0) {
      buffered_.append(chunk.data(), static_cast<std::size_t>(got));
      continue;
    }
    if (got == 0) return failure(ErrorCode::kUnavailable, "receive line: the peer is gone");
    if (errno == EINTR) continue;
    if (!would_block(errno)) return tl::unexpected(peer_gone(errno, "receive line"));
    auto ready = wait_ready(socket_.get(), POLLIN, left_until(deadline));
    if (!ready) return tl::unexpected(std::move(ready.error()));
    if (!*ready) return std::optional<std::string>();
  }
}

Result<std::optional<FileLock>> FileLock::try_acquire(const std::filesystem::path& path) {
  UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return errno_failure(errno, "open lock " + path.string());
  while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return std::optional<FileLock>();
    if (errno != EINTR) return errno_failure(errno, "lock " + path.string());
  }
  return std::optional<FileLock>(FileLock(std::move(file)));
}

// A line of /proc/locks: "1: FLOCK  ADVISORY  WRITE 4242 08:01:131234 0 EOF".
std::optional<pid_t> lock_holder(const std::filesystem::path& path) {
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0) return std::nullopt;
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words(line);
    std::string number, kind, how, access, place;
    pid_t pid = 0;
    if (!(words >> number >> kind >> how >> access >> pid >> place) || kind != "FLOCK" || pid <= 0)
      continue;
    if (place.substr(place.rfind(':') + 1) == std::to_string(file.st_ino)) return pid;
  }
  return std::nullopt;
}

}  // namespace evener::os
