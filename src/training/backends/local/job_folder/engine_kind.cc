#include "training/backends/local/job_folder/engine_kind.h"

#include <string>

namespace evener::backends {

std::string_view to_string(EngineKind kind) {
  switch (kind) {
    case EngineKind::kEmbedded: return "embedded";
    case EngineKind::kServer: return "server";
  }
  return "";
}

Result<EngineKind> engine_kind_from(std::string_view text) {
  for (const EngineKind kind : {EngineKind::kEmbedded, EngineKind::kServer}) {
    if (to_string(kind) == text) return kind;
  }
  return failure(ErrorCode::kCorrupt, "no kind of engine: " + std::string(text));
}

}  // namespace evener::backends
