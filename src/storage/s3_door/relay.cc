#include "storage/s3_door/relay.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace evener::storage {
namespace {

constexpr std::size_t kReadBytes = 256u << 10;
constexpr std::size_t kMostWaitingBytes = 512u << 10;   // on their way to one side
constexpr std::size_t kLongestHeadBytes = 64u << 10;
// Of a request that is made anew; SDKs send what is larger in parts, which ask for nothing.
constexpr std::uint64_t kLongestBodyBytes = 64u << 20;

constexpr std::string_view kAway =
    "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
constexpr std::string_view kFull =
    "HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

enum class Got { kBytes, kLater, kEnd };

Got receive(int fd, std::string& to) {
  std::array<char, kReadBytes> bytes;
  const auto got = ::recv(fd, bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (got > 0) {
    to.append(bytes.data(), static_cast<std::size_t>(got));
    return Got::kBytes;
  }
  return got < 0 && (errno == EAGAIN || errno == EINTR) ? Got::kLater : Got::kEnd;
}

// False when nobody takes bytes there any more.
bool send_some(int fd, Outgoing& from) {
  if (from.empty()) return true;
  const std::string_view bytes = from.view();
  const auto sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent > 0) from.drop(static_cast<std::size_t>(sent));
  return sent >= 0 || errno == EAGAIN || errno == EINTR;
}

pollfd waiting(int fd, bool reads, bool writes) {
  const int events = (reads ? POLLIN : 0) | (writes ? POLLOUT : 0);
  return {.fd = events == 0 ? -1 : fd, .events = static_cast<short>(events), .revents = 0};
}

}  // namespace

void Outgoing::add(std::string&& bytes) {
  if (!empty()) return add(std::string_view(bytes));
  bytes_ = std::move(bytes);
  sent_ = 0;
}

// The rest moves to the front when it is the smaller part, so that each byte moves about once.
void Outgoing::drop(std::size_t bytes) {
  sent_ += bytes;
  if (empty()) return clear();
  if (sent_ < size()) return;
  bytes_.erase(0, sent_);
  sent_ = 0;
}

Relay::Relay(os::UniqueFd client, os::UniqueFd server, RelayKeys keys)
    : client_(std::move(client)),
      server_(std::move(server)),
      keys_(keys),
      last_moved_(keys.clock.monotonic_now()) {
  if (!server_) {
    to_client_.add(kAway);
    client_ended_ = server_ended_ = told_server_ = true;
  }
}

Relay::~Relay() { give_back_body(); }

void Relay::give_back_body() {
  keys_.bodies.give_back(held_);
  held_ = 0;
}

pollfd Relay::client() const {
  return waiting(client_.get(), !client_ended_ && to_server_.size() < kMostWaitingBytes,
                 !to_client_.empty());
}

pollfd Relay::server() const {
  return waiting(server_.get(), !server_ended_ && to_client_.size() < kMostWaitingBytes,
                 !to_server_.empty());
}

bool Relay::move(short client_events, short server_events) {
  if ((client_events | server_events) == 0) return true;
  last_moved_ = keys_.clock.monotonic_now();
  if ((client_events & (POLLIN | POLLHUP | POLLERR)) != 0) read_client();
  if ((server_events & (POLLIN | POLLHUP | POLLERR)) != 0) read_server();
  if (!send_some(client_.get(), to_client_)) return false;
  if (server_ && !send_some(server_.get(), to_server_)) to_server_.clear();
  if (next_ != Next::kWholeBody && to_server_.empty()) give_back_body();
  if (client_ended_ && !told_server_ && to_server_.empty()) {
    ::shutdown(server_.get(), SHUT_WR);
    told_server_ = true;
  }
  return !is_over();
}

bool Relay::is_over() const {
  if (next_ == Next::kThrownAway) return to_client_.empty() && (left_ == 0 || client_ended_);
  return server_ended_ && to_client_.empty();
}

void Relay::read_client() {
  if (client_ended_) return;
  if (receive(client_.get(), came_) == Got::kEnd) client_ended_ = true;
  while (take_some()) {
  }
}

void Relay::read_server() {
  if (server_ended_) return;
  if (receive(server_.get(), to_client_.tail()) == Got::kEnd) server_ended_ = true;
  awaits_answer_ = false;
}

void Relay::forward(std::size_t bytes) {
  if (bytes == came_.size()) return to_server_.add(std::exchange(came_, {}));
  to_server_.add(std::string_view(came_).substr(0, bytes));
  came_.erase(0, bytes);
}

// False when more must come first.
bool Relay::take_some() {
  switch (next_) {
    case Next::kHead: return take_head();
    case Next::kWholeBody: return take_whole_body();
    case Next::kThrownAway:
      left_ -= std::min<std::uint64_t>(left_, came_.size());
      came_.clear();
      return false;
    case Next::kBody:
    case Next::kChunks: break;
  }
  if (came_.empty()) return false;
  take_body();
  return true;
}

// False until the head is there. What is no head goes on as it is: the server refuses it.
bool Relay::take_head() {
  const auto end = came_.find("\r\n\r\n");
  if (end == std::string::npos) {
    if (came_.size() > kLongestHeadBytes) forward(came_.size());
    return false;
  }
  auto head = read_head(std::string_view(came_).substr(0, end + 4));
  if (!head) {
    forward(came_.size());
    return false;
  }
  head_ = std::move(*head);
  if (asks_for_key_service(head_.request) && says_it_is_of(head_.request, keys_.keys) &&
      head_.framing == Framing::kLength && head_.length <= kLongestBodyBytes) {
    begin_whole_body(end + 4);
    return true;
  }
  forward(end + 4);
  left_ = head_.length;
  chunks_ = {};
  if (head_.framing == Framing::kChunked) next_ = Next::kChunks;
  if (head_.framing == Framing::kLength && left_ > 0) next_ = Next::kBody;
  awaits_answer_ = next_ == Next::kHead;
  return true;
}

// Where there is no room for the body it is read all the same, so that the client hears why.
void Relay::begin_whole_body(std::size_t head_bytes) {
  head_bytes_ = came_.substr(0, head_bytes);
  came_.erase(0, head_bytes);
  if (keys_.bodies.take(head_.length)) {
    held_ += head_.length;
    came_.reserve(head_.length + kReadBytes);
    next_ = Next::kWholeBody;
    if (head_.expects_continue && came_.empty()) to_client_.add(kContinue);
    return;
  }
  to_client_.add(kFull);
  left_ = head_.length;
  next_ = Next::kThrownAway;
}

void Relay::take_body() {
  if (next_ == Next::kChunks) {
    forward(chunks_.feed(came_));
    if (chunks_.ended()) next_ = Next::kHead;
    awaits_answer_ = chunks_.ended();
    return;
  }
  const auto some = static_cast<std::size_t>(std::min<std::uint64_t>(left_, came_.size()));
  forward(some);
  left_ -= some;
  if (left_ == 0) next_ = Next::kHead;
  awaits_answer_ = left_ == 0;
}

bool Relay::take_whole_body() {
  if (came_.size() < head_.length) return false;
  std::string rest = came_.substr(head_.length);
  came_.resize(head_.length);
  head_.request.body = std::exchange(came_, std::move(rest));
  const auto anew = head_without_key_service(head_.request, keys_.keys, keys_.verifier,
                                             keys_.clock.wall_now());
  std::string& whole = head_.request.body.insert(0, anew ? *anew : head_bytes_);
  to_server_.add(std::move(whole));
  head_ = {};
  next_ = Next::kHead;
  awaits_answer_ = true;
  return true;
}

}  // namespace evener::storage
