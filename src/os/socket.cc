#include "os/socket.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "os/poll.h"

namespace evener::os {
namespace {

constexpr int kBacklog = 64;
constexpr timeval kConnectTimeout{10, 0};  // the listener's queue is full that long

// An address that reaches `path` whatever its length: through the descriptor of its folder, which
// stays open as long as this object.
struct Address {
  UniqueFd folder;
  sockaddr_un raw{};
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&raw); }
};

Result<Address> address_of(const std::filesystem::path& path) {
  Address address;
  address.raw.sun_family = AF_UNIX;
  std::string text = path.string();
  if (text.size() >= sizeof address.raw.sun_path) {
    const auto parent = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    address.folder.reset(::open(parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!address.folder) return errno_failure(errno, "open " + parent.string());
    text = "/proc/self/fd/" + std::to_string(address.folder.get()) + "/" + path.filename().string();
  }
  if (text.size() >= sizeof address.raw.sun_path)
    return failure(ErrorCode::kInvalidArgument, "socket " + path.string() + ": name is too long");
  std::memcpy(address.raw.sun_path, text.c_str(), text.size() + 1);
  return address;
}

Result<UniqueFd> new_socket() {
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) return errno_failure(errno, "socket");
  return fd;
}

enum class RootServes { kOnlyRoot, kAnyone };

// Our own user and root may always be at the other end.
Status check_peer(int socket, RootServes rule) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
    return errno_failure(errno, "peer of socket");
  const uid_t self = ::geteuid();
  if (peer.uid == self || peer.uid == 0) return ok();
  if (self == 0 && rule == RootServes::kAnyone) return ok();
  return failure(ErrorCode::kPermissionDenied,
                 "socket peer is user " + std::to_string(peer.uid) + ", we are " +
                     std::to_string(self));
}

bool somebody_listens(const Address& address) {
  auto probe = new_socket();
  if (!probe) return true;
  ::fcntl(probe->get(), F_SETFL, O_NONBLOCK);
  return ::connect(probe->get(), address.get(), sizeof address.raw) == 0 ||
         (errno != ECONNREFUSED && errno != ENOENT);
}

Status replace_stale(const Address& address, const std::filesystem::path& path) {
  struct stat raw {};
  if (::lstat(path.c_str(), &raw) != 0) return ok();  // gone meanwhile
  if (!S_ISSOCK(raw.st_mode))
    return failure(ErrorCode::kAlreadyExists, "listen on " + path.string() + ": not a socket");
  if (somebody_listens(address))
    return failure(ErrorCode::kAlreadyExists, "listen on " + path.string() + ": somebody listens");
  if (::unlink(path.c_str()) != 0 && errno != ENOENT)
    return errno_failure(errno, "remove stale " + path.string());
  return ok();
}

}  // namespace

Result<UniqueFd> listen_unix(const std::filesystem::path& path) {
  auto address = address_of(path);
  if (!address) return tl::unexpected(std::move(address.error()));
  auto fd = new_socket();
  if (!fd) return fd;
  // The mode of the socket object becomes that of its file, so it is never open to others.
  if (::fchmod(fd->get(), 0600) != 0) return errno_failure(errno, "chmod of a socket");
  int bound = ::bind(fd->get(), address->get(), sizeof address->raw);
  if (bound != 0 && errno == EADDRINUSE) {
    RETURN_IF_ERROR(replace_stale(*address, path));
    bound = ::bind(fd->get(), address->get(), sizeof address->raw);
  }
  if (bound != 0) return errno_failure(errno, "bind " + path.string());
  if (::listen(fd->get(), kBacklog) != 0) return errno_failure(errno, "listen on " + path.string());
  return fd;
}

Result<std::optional<UniqueFd>> accept_unix(int listener, std::chrono::milliseconds timeout) {
  auto ready = wait_ready(listener, POLLIN, timeout);
  if (!ready) return tl::unexpected(std::move(ready.error()));
  if (!*ready) return std::optional<UniqueFd>();
  UniqueFd peer(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
  if (!peer) {
    // The peer gave up between the two calls.
    if (errno == EAGAIN || errno == ECONNABORTED || errno == EINTR)
      return std::optional<UniqueFd>();
    return errno_failure(errno, "accept");
  }
  RETURN_IF_ERROR(check_peer(peer.get(), RootServes::kOnlyRoot));
  return std::optional<UniqueFd>(std::move(peer));
}

Result<UniqueFd> connect_unix(const std::filesystem::path& path) {
  auto address = address_of(path);
  if (!address && address.error().code == ErrorCode::kNotFound)
    return failure(ErrorCode::kUnavailable, address.error().message);
  if (!address) return tl::unexpected(std::move(address.error()));
  auto fd = new_socket();
  if (!fd) return fd;
  ::setsockopt(fd->get(), SOL_SOCKET, SO_SNDTIMEO, &kConnectTimeout, sizeof kConnectTimeout);
  while (::connect(fd->get(), address->get(), sizeof address->raw) != 0) {
    if (errno == EINTR) continue;
    if (errno == ENOENT || errno == ENOTDIR)
      return failure(ErrorCode::kUnavailable, "connect to " + path.string() + ": nobody listens");
    return errno_failure(errno, "connect to " + path.string());
  }
  RETURN_IF_ERROR(check_peer(fd->get(), RootServes::kAnyone));
  return fd;
}

}  // namespace evener::os
