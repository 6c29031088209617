// The server of a home, until a signal ends it.
//
// Used by:  serve, up.
// Threads:  blocks the main thread.
// Fails:    as ControlServer::start().
#pragma once

#include <string>

#include "base/result.h"
#include "evener/interrupts.h"
#include "evener/options.h"

namespace evener::app {

// `s3_endpoint`: what `evener env` tells clients; "": nothing. Answers the exit code.
Result<int> serve_until_signal(const ServeOptions& options, const std::string& s3_endpoint,
                               Interrupts& interrupts);

}  // namespace evener::app
