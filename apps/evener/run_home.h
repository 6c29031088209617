// What a command needs that runs jobs: the home, its files, and how jobs are kept apart on it.
//
// Used by:  train, engine.
// Threads:  call before other threads exist (it may probe the machine).
// Fails:    the home's errors; kInvalidArgument on an unknown isolation.
#pragma once

#include <memory>
#include <string>

#include "evener/home.h"
#include "evener/options.h"
#include "os/file_system.h"
#include "training/sandbox/sandbox.h"

namespace evener::app {

struct RunHome {
  Home home;
  std::unique_ptr<os::FileSystem> files;
  sandbox::Isolation isolation;
};
Result<RunHome> open_run_home(const SharedOptions& options, const std::string& isolation);

}  // namespace evener::app
