// The frame of commands that serve until a signal ends them.
//
// Used by:  serve, up, data dispatcher, data worker.
// Threads:  called by main, before any other thread is made.
// Fails:    an error is told to stderr: exit code 2 for one of what was asked for
//           (kInvalidArgument), 1 for any other.
#pragma once

#include <functional>

#include "base/result.h"
#include "evener/interrupts.h"

namespace evener::app {

// `serve` gives the exit code.
int run_service(const std::function<Result<int>(Interrupts&)>& serve);

}  // namespace evener::app
