// What a job's hyperparameters ask of the scripted backend.
//
// Used by:  scripted.
// Threads:  values and a pure function.
// Fails:    kInvalidArgument on a value that is no such number.
#pragma once

#include <chrono>
#include <string>

#include "base/result.h"
#include "training/jobs/jobs.h"

namespace evener::backends {

struct Script {
  std::chrono::milliseconds staging{0};
  std::chrono::milliseconds run_for{0};
  std::chrono::milliseconds uploading{0};
  std::chrono::milliseconds crash_after{-1};  // negative: never
  int exit_code = 0;
  std::string fail_host;       // the host that exits with exit_code; "": every host
  std::string start_error;
  bool ignore_sigterm = false;
};

// kInvalidArgument where a value is not a number.
Result<Script> script_of(const jobs::JobSpec& spec);

}  // namespace evener::backends
