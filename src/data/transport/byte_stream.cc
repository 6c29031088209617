#include "data/transport/byte_stream.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace evener::data::transport {
namespace {

Result<Progress> progress_of(ssize_t moved, const char* attempted) {
  if (moved > 0) return Progress{Progress::Kind::kMoved, static_cast<std::size_t>(moved)};
  if (moved == 0) return Progress{Progress::Kind::kEnd, 0};
  if (errno == EAGAIN || errno == EINTR) return Progress{Progress::Kind::kWouldBlock, 0};
  return failure(ErrorCode::kUnavailable, errno_error(errno, attempted).message);
}

msghdr message_of(std::span<const iovec> parts) {
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(parts.data());
  message.msg_iovlen = parts.size();
  return message;
}

class PlainStream : public ByteStream {
 public:
  explicit PlainStream(os::UniqueFd socket) : socket_(std::move(socket)) {}
  int fd() const override { return socket_.get(); }
  Result<Progress> read(std::span<const iovec> into) override {
    return progress_of(::readv(socket_.get(), into.data(), static_cast<int>(into.size())),
                       "read from peer");
  }
  Result<Progress> write(std::span<const iovec> from) override {
    const msghdr message = message_of(from);
    return progress_of(::sendmsg(socket_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT),
                       "write to peer");
  }
  Result<Progress> write_with(std::span<const iovec> from, int descriptor) override {
    msghdr message = message_of(from);
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptor)] = {};
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* part = CMSG_FIRSTHDR(&message);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(sizeof descriptor);
    std::memcpy(CMSG_DATA(part), &descriptor, sizeof descriptor);
    return progress_of(::sendmsg(socket_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT),
                       "pass a descriptor to peer");
  }

 protected:
  os::UniqueFd socket_;
};

// readv(2), which all others use, closes what a peer passes.
class DescriptorStream final : public PlainStream {
 public:
  using PlainStream::PlainStream;
  Result<Progress> read(std::span<const iovec> into) override {
    msghdr message = message_of(into);
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t moved = ::recvmsg(socket_.get(), &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (moved > 0) keep_descriptor(message);
    return progress_of(moved, "read from peer");
  }
  std::optional<os::UniqueFd> take_descriptor() override {
    return std::exchange(descriptor_, std::nullopt);
  }

 private:
  void keep_descriptor(msghdr& message) {
    const cmsghdr* part = CMSG_FIRSTHDR(&message);
    if (part == nullptr || part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS ||
        part->cmsg_len < CMSG_LEN(sizeof(int)))
      return;
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(part), sizeof fd);
    descriptor_.emplace(fd);
  }

  std::optional<os::UniqueFd> descriptor_;
};

}  // namespace

Result<Progress> ByteStream::write_with(std::span<const iovec>, int) {
  return failure(ErrorCode::kUnsupported, "this connection passes no descriptors");
}

std::unique_ptr<ByteStream> make_plain_stream(os::UniqueFd socket, Descriptors rule) {
  if (rule == Descriptors::kTaken) return std::make_unique<DescriptorStream>(std::move(socket));
  return std::make_unique<PlainStream>(std::move(socket));
}

}  // namespace evener::data::transport
