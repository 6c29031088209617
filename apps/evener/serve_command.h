// The server of a home, until a signal ends it.
//
// Used by:  serve, up.
// Threads:  blocks the main thread.
// Fails:    as ControlServer::start().
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "control_plane/keys/keys.h"
#include "evener/interrupts.h"
#include "evener/options.h"

namespace evener::app {

struct S3Beside {
  std::string endpoint{};                      // what `evener env` tells clients; "": nothing
  // Of a server that is not ours. A client has one key for all services: ours takes it too.
  std::vector<control_plane::Key> keys{};
  std::string bucket{};                        // what the server tells `--server`; "": none
};

// Answers the exit code.
Result<int> serve_until_signal(const ServeOptions& options, const S3Beside& s3,
                               Interrupts& interrupts);

}  // namespace evener::app
