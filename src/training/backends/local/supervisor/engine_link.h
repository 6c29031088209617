// The supervisor's end of the job's socket: takes engines in, one after the other, hands them the
// journal and takes their commands.
//
// Used by:  EventLoop, run_supervisor.
// Threads:  one.
// Fails:    open() when the socket cannot be made; later a peer that breaks the protocol or does
//           not read is dropped, as if it had gone.
#pragma once

#include <poll.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "os/socket.h"
#include "os/unique_fd.h"
#include "training/backends/local/job_folder/job_folder.h"

namespace evener::backends {

inline constexpr std::chrono::seconds kEngineLostAfter{10};

class EngineLink {
 public:
  // `inherited` is the connection of the engine that started us, or none. `records` are those of
  // the Recorder and must outlive the link.
  static Result<std::unique_ptr<EngineLink>> open(const std::filesystem::path& socket,
                                                  os::UniqueFd inherited, EngineKind kind,
                                                  const std::vector<std::string>& records,
                                                  const Clock& clock);

  void add_descriptors(std::vector<pollfd>& polled) const;
  // Accepts, attaches, and answers the strongest stop that was asked for since the last call.
  std::optional<StopMode> take_commands();
  // Sends the newest record to the attached engine.
  void publish(const std::string& record);

  bool attached() const { return attached_.has_value(); }
  // When a job without an engine must be stopped; nothing while one is there or none is needed.
  std::optional<MonotonicTime> engine_lost_at() const;

 private:
  explicit EngineLink(os::UniqueFd listener, const std::vector<std::string>& records,
                      const Clock& clock)
      : listener_(std::move(listener)), records_(records), clock_(clock) {}
  void accept_new();
  // False once the peer is to be dropped. `attach` is set when it becomes the engine.
  bool read_from(os::LineConnection& peer, std::optional<StopMode>& stop,
                 std::optional<AttachCommand>& attach);
  bool send_from(os::LineConnection& peer, std::uint64_t position);
  void lose_engine();

  os::UniqueFd listener_;
  const std::vector<std::string>& records_;
  const Clock& clock_;
  std::vector<os::LineConnection> waiting_;      // connected, not attached; the oldest is dropped
  std::optional<os::LineConnection> attached_;
  EngineKind kind_ = EngineKind::kEmbedded;
  std::optional<MonotonicTime> alone_since_;
};

}  // namespace evener::backends
