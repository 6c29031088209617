// One connection of a server: frames in and out, and what is known of its peer.
//
// Used by:  server_loop.h, data_server.cc.
// Threads:  the methods of Peer and send_frame() from any thread; the rest belongs to the loop.
// Fails:    turn(): the errors of frames and sockets; then it is to be dropped.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "data/transport/byte_stream.h"
#include "data/transport/control_server.h"
#include "data/transport/frame_input.h"
#include "data/transport/outbox.h"
#include "data/transport/wake_queue.h"

namespace evener::data::transport {

enum class Medium { kTcp, kUnix };

struct ConnectionFacts {
  std::uint64_t number = 0;
  std::string address;
  Medium medium = Medium::kTcp;
  bool same_user = false;                // by the credentials of its unix socket
  MonotonicTime since;
};

class Connection final : public Peer {
 public:
  enum class Stage { kUnknown, kKnown, kClosing };

  Connection(std::unique_ptr<ByteStream> stream, ConnectionFacts facts,
             std::shared_ptr<WakeQueue> wake);

  std::uint64_t number() const override { return facts_.number; }
  std::string address() const override { return facts_.address; }
  void send(std::string frame) override;
  void refuse(const Error& error) override;
  void close() override;
  void send_frame(OutFrame frame);

  // The loop's side.
  const ConnectionFacts& facts() const { return facts_; }
  int fd() const { return stream_->fd(); }
  Stage stage() const { return stage_; }
  void set_stage(Stage stage, MonotonicTime now);
  MonotonicTime stage_since() const { return stage_since_; }
  MonotonicTime last_heard() const { return last_heard_; }
  FrameInput& input() { return input_; }
  Outbox& outbox() { return outbox_; }
  Status read(FrameSink& sink, MonotonicTime now);
  // Takes what was sent and writes; kCancelled once it is to be closed at once.
  Status flush(MonotonicTime now);
  bool wants_to_write() const {
    return (!outbox_.empty() && !stream_->write_waits_for_peer()) || stream_->wants_to_write();
  }
  std::uint64_t unsent_bytes();
  // Closes the socket; others may still hold this object, whose sends are harmless from now on.
  void release();
  // All is written, and the connection is closing: tells the peer that no more comes.
  void finish_writing();
  std::uint32_t watched = 0;             // the loop's: events that epoll looks for
  bool told = false;                     // the loop's: its user knows this peer, and will hear its end

 private:
  enum class Ending { kNone, kAfterWriting, kNow };
  void end(Ending ending);
  Ending take_sent();

  const ConnectionFacts facts_;
  const std::shared_ptr<WakeQueue> wake_;
  Mutex mutex_;
  std::vector<OutFrame> sent_ GUARDED_BY(mutex_);        // not yet in the outbox
  bool woken_ GUARDED_BY(mutex_) = false;
  Ending ending_ GUARDED_BY(mutex_) = Ending::kNone;
  bool released_ GUARDED_BY(mutex_) = false;

  std::unique_ptr<ByteStream> stream_;
  FrameInput input_{InputOptions{}};
  Outbox outbox_;
  std::vector<OutFrame> taken_;
  Stage stage_ = Stage::kUnknown;
  MonotonicTime stage_since_;
  MonotonicTime last_heard_;
  bool finished_ = false;
};

}  // namespace evener::data::transport
