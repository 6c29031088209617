// One object brought to the hosts that need it.
//
// Used by:  staging.
// Threads:  objects are independent; each is staged by one thread.
// Fails:    errors of either side; kCorrupt on bad gzip data; kCancelled between pieces.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "storage/storage.h"
#include "training/artifacts/progress.h"

namespace evener::artifacts {

struct ObjectToStage {
  std::string channel;
  std::string uri;                              // of the object, for messages
  storage::Uri source;
  storage::ObjectStore* store = nullptr;
  bool gzip = false;                            // unpack it
  std::vector<std::filesystem::path> targets;   // one per host; their folders exist
  std::uint64_t bytes = 0;                      // size times targets, for progress
};

Status stage_object(const ObjectToStage& object, os::FileSystem& files, ProgressMeter& meter,
                    const std::stop_token& stop);

}  // namespace evener::artifacts
