#include "training/sandbox/control_message.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace evener::sandbox {
namespace {

constexpr std::size_t kReadBytes = 64u << 10;

template <class T>
void put(std::string& out, const T& value) {
  std::array<char, sizeof(T)> raw{};
  std::memcpy(raw.data(), &value, sizeof(T));
  out.append(raw.data(), raw.size());
}

// Takes a value off the front; false if too little is left.
template <class T>
bool take(std::string_view& in, T& value) {
  if (in.size() < sizeof(T)) return false;
  std::memcpy(&value, in.data(), sizeof(T));
  in.remove_prefix(sizeof(T));
  return true;
}

bool take_text(std::string_view& in, std::string& text) {
  std::uint32_t size = 0;
  if (!take(in, size) || in.size() < size) return false;
  text.assign(in.substr(0, size));
  in.remove_prefix(size);
  return true;
}

}  // namespace

std::string encode(const Message& message) {
  std::string out;
  put(out, message.kind);
  put(out, static_cast<std::uint32_t>(message.numbers.size()));
  for (const std::int64_t number : message.numbers) put(out, number);
  put(out, static_cast<std::uint32_t>(message.texts.size()));
  for (const std::string& text : message.texts) {
    put(out, static_cast<std::uint32_t>(text.size()));
    out += text;
  }
  return out;
}

Result<Message> decode(std::string_view bytes) {
  Message message;
  std::uint32_t count = 0;
  bool whole = take(bytes, message.kind) && take(bytes, count);
  for (std::uint32_t i = 0; whole && i < count; ++i) {
    std::int64_t number = 0;
    whole = take(bytes, number);
    message.numbers.push_back(number);
  }
  whole = whole && take(bytes, count);
  for (std::uint32_t i = 0; whole && i < count; ++i) {
    std::string text;
    whole = take_text(bytes, text);
    message.texts.push_back(std::move(text));
  }
  if (!whole || !bytes.empty()) return failure(ErrorCode::kCorrupt, "control message is broken");
  return message;
}

Status ControlChannel::send(const Message& message) {
  const std::string body = encode(message);
  if (body.size() > kMaxMessageBytes) {
    return failure(ErrorCode::kLimitExceeded, "control message is too long");
  }
  std::string bytes;
  put(bytes, static_cast<std::uint32_t>(body.size()));
  bytes += body;
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    iovec part{bytes.data() + sent, bytes.size() - sent};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    if (sent == 0 && message.descriptor) {
      header.msg_control = control.data();
      header.msg_controllen = control.size();
      cmsghdr* item = CMSG_FIRSTHDR(&header);
      item->cmsg_level = SOL_SOCKET;
      item->cmsg_type = SCM_RIGHTS;
      item->cmsg_len = CMSG_LEN(sizeof(int));
      const int fd = message.descriptor.get();
      std::memcpy(CMSG_DATA(item), &fd, sizeof fd);
    }
    const ssize_t count = ::sendmsg(socket_.get(), &header, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno_failure(errno, "send to the instance");
    sent += static_cast<std::size_t>(count);
  }
  return ok();
}

Result<std::optional<Message>> ControlChannel::take_buffered() {
  std::uint32_t size = 0;
  std::string_view rest = buffered_;
  if (!take(rest, size) || rest.size() < size) return std::optional<Message>();
  Result<Message> message = decode(rest.substr(0, size));
  if (!message) return tl::unexpected<Error>(message.error());
  message->descriptor = std::move(received_descriptor_);
  buffered_.erase(0, sizeof size + size);
  return std::optional<Message>(std::move(*message));
}

Status ControlChannel::read_more() {
  std::array<char, kReadBytes> chunk{};
  iovec part{chunk.data(), chunk.size()};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  const ssize_t count = ::recvmsg(socket_.get(), &header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return ok();
  if (count <= 0) {
    return failure(ErrorCode::kUnavailable, "the other side of the control channel is gone");
  }
  for (cmsghdr* item = CMSG_FIRSTHDR(&header); item != nullptr;
       item = CMSG_NXTHDR(&header, item)) {
    if (item->cmsg_level != SOL_SOCKET || item->cmsg_type != SCM_RIGHTS) continue;
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(item), sizeof fd);
    received_descriptor_.reset(fd);
  }
  buffered_.append(chunk.data(), static_cast<std::size_t>(count));
  return ok();
}

Result<std::optional<Message>> ControlChannel::receive(std::chrono::milliseconds timeout) {
  while (true) {
    Result<std::optional<Message>> message = take_buffered();
    if (!message || *message) return message;
    pollfd waiting{socket_.get(), POLLIN, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(timeout.count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return std::optional<Message>();
    if (Status read = read_more(); !read) return tl::unexpected<Error>(read.error());
  }
}

Result<std::pair<os::UniqueFd, os::UniqueFd>> make_control_pair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return errno_failure(errno, "socketpair");
  }
  return std::pair(os::UniqueFd(ends[0]), os::UniqueFd(ends[1]));
}

}  // namespace evener::sandbox
