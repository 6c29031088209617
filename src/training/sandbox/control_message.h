// Messages between the supervisor and the init of an instance, over a socket pair.
//
// Used by:  sandbox.
// Threads:  a ControlChannel belongs to one thread.
// Fails:    kUnavailable when the other side is gone; kLimitExceeded over kMaxMessageBytes.
// Format:   one process speaks to its own clone: native byte order, no version. A length, then
//           kind, numbers, texts; a descriptor travels with the first byte.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/unique_fd.h"

namespace evener::sandbox {

inline constexpr std::size_t kMaxMessageBytes = 64u << 20;

enum class MessageKind : std::uint8_t {
  // To init.
  kNetworkReady,
  kMount,        // texts: six for each mount: kind, target, source, lower, upper, work
  kMakeReadOnly, // texts: where it is mounted; answered by kMounted
  kRun,          // numbers: count of arguments; texts: arguments, environment, directory; output
  kSignal,       // numbers: signal
  kKill,
  kUsage,
  kProbeOverlay, // texts: a folder of the job
  // From init.
  kMounted,      // numbers: ErrorCode, or -1; texts: the error's message
  kExited,       // numbers: exit code, signal
  kStartFailed,  // texts: why
  kUsageAnswer,  // numbers: CPU nanoseconds, memory bytes
  kOverlayProbed,   // numbers: 1 if an overlay can be made there
};

struct Message {
  MessageKind kind = MessageKind::kKill;
  std::vector<std::int64_t> numbers;
  std::vector<std::string> texts;
  os::UniqueFd descriptor;
};

std::string encode(const Message& message);             // without the length
Result<Message> decode(std::string_view bytes);

class ControlChannel {
 public:
  explicit ControlChannel(os::UniqueFd socket) : socket_(std::move(socket)) {}
  int fd() const { return socket_.get(); }
  // Waits while the other side is slow.
  Status send(const Message& message);
  // Nothing if no whole message came within `timeout`.
  Result<std::optional<Message>> receive(std::chrono::milliseconds timeout);

 private:
  Result<std::optional<Message>> take_buffered();
  Status read_more();

  os::UniqueFd socket_;
  std::string buffered_;
  os::UniqueFd received_descriptor_;   // of the message that is not whole yet
};

// Two ends; both closed on exec.
Result<std::pair<os::UniqueFd, os::UniqueFd>> make_control_pair();

}  // namespace evener::sandbox
