// What kind of engine runs a job: how long its supervisor waits for the next one.
//
// Used by:  plan, protocol; EngineLink.
// Threads:  values.
// Fails:    engine_kind_from() with kCorrupt on any other word.
#pragma once

#include <string_view>

#include "base/result.h"

namespace evener::backends {

enum class EngineKind {
  kEmbedded,   // 10 s, then it stops the job and writes why into its journal
  kServer,     // without limit
};

std::string_view to_string(EngineKind kind);            // "embedded", "server"
Result<EngineKind> engine_kind_from(std::string_view text);

}  // namespace evener::backends
