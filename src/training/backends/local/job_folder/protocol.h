// What engine and supervisor say to each other over the job's socket, one JSON object a line.
//
// Used by:  EngineLink (supervisor), SupervisorLink (engine).
// Threads:  pure functions.
// Fails:    kCorrupt on a line that is none of these.
// Format:   formats/journal.md. The supervisor sends nothing but events as in the journal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "training/backends/backends.h"
#include "training/backends/local/job_folder/engine_kind.h"

namespace evener::backends {

// "From now on I am the engine of this job": events from position `from` on, then as they come.
struct AttachCommand {
  std::uint64_t from = 1;
  EngineKind engine = EngineKind::kEmbedded;
  bool operator==(const AttachCommand&) const = default;
};
struct StopCommand {
  StopMode mode = StopMode::kGraceful;
  bool operator==(const StopCommand&) const = default;
};
using EngineCommand = std::variant<AttachCommand, StopCommand>;

std::string command_line(const EngineCommand& command);
Result<EngineCommand> command_from(std::string_view line);

}  // namespace evener::backends
