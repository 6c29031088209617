#include "data/transport/connection.h"

#include <sys/socket.h>

#include <utility>

#include "data/transport/messages.h"

namespace evener::data::transport {

Connection::Connection(std::unique_ptr<ByteStream> stream, ConnectionFacts facts,
                       std::shared_ptr<WakeQueue> wake)
    : facts_(std::move(facts)),
      wake_(std::move(wake)),
      stream_(std::move(stream)),
      stage_since_(facts_.since),
      last_heard_(facts_.since) {}

void Connection::send(std::string frame) {
  OutFrame out;
  out.text = std::move(frame);
  send_frame(std::move(out));
}

void Connection::send_frame(OutFrame frame) {
  {
    const MutexLock lock(mutex_);
    if (released_) return outbox_.discard(std::move(frame));
    sent_.push_back(std::move(frame));
    if (std::exchange(woken_, true)) return;
  }
  wake_->wake(facts_.number);
}

void Connection::refuse(const Error& error) {
  send(frame_of(Refusal{error.code, error.message}));
  end(Ending::kAfterWriting);
}

void Connection::close() { end(Ending::kNow); }

void Connection::end(Ending ending) {
  {
    const MutexLock lock(mutex_);
    if (ending_ == Ending::kNow) return;
    ending_ = ending;
    woken_ = true;
  }
  wake_->wake(facts_.number);
}

void Connection::set_stage(Stage stage, MonotonicTime now) {
  stage_ = stage;
  stage_since_ = now;
}

Status Connection::read(FrameSink& sink, MonotonicTime now) {
  last_heard_ = now;
  return input_.read(*stream_, sink);
}

Status Connection::flush(MonotonicTime now) {
  while (true) {
    const Ending ending = take_sent();
    if (ending == Ending::kNow) return failure(ErrorCode::kCancelled, "closed by this side");
    if (ending == Ending::kAfterWriting && stage_ != Stage::kClosing)
      set_stage(Stage::kClosing, now);
    if (taken_.empty() && outbox_.empty()) return ok();
    for (OutFrame& frame : taken_) outbox_.add(std::move(frame));
    taken_.clear();
    RETURN_IF_ERROR(outbox_.flush(*stream_));
    if (!outbox_.empty()) return ok();
  }
}

// While the socket is full, what is sent need not wake anyone, and waits where it is.
Connection::Ending Connection::take_sent() {
  const MutexLock lock(mutex_);
  if (outbox_.empty()) {
    taken_.swap(sent_);
    woken_ = !taken_.empty();
  }
  return ending_;
}

std::uint64_t Connection::unsent_bytes() {
  const MutexLock lock(mutex_);
  std::uint64_t bytes = outbox_.bytes();
  for (const OutFrame& frame : sent_) bytes += frame.size();
  return bytes;
}

void Connection::release() {
  stream_.reset();
  const MutexLock lock(mutex_);
  for (OutFrame& frame : sent_) outbox_.add(std::move(frame));
  sent_.clear();
  outbox_.clear();
  released_ = true;
  woken_ = true;
  ending_ = Ending::kNow;
}

void Connection::finish_writing() {
  if (!std::exchange(finished_, true)) ::shutdown(stream_->fd(), SHUT_WR);
}

}  // namespace evener::data::transport
