// Which isolation jobs of this process get.
//
// Used by:  train, engine.
// Threads:  call before other threads exist (it may probe the machine).
// Fails:    kInvalidArgument on an unknown word.
#pragma once

#include <string>

#include "base/result.h"
#include "evener/home.h"
#include "os/file_system.h"
#include "training/sandbox/sandbox.h"

namespace evener::app {

// "namespaces", "plain", or "" for the best that works here. Probing makes a network namespace,
// and the kernel is slow to take one apart, just when the job needs its own: that namespaces
// work is remembered in the home for this boot, user and user namespace.
Result<sandbox::Isolation> choose_isolation(const std::string& word, const Home& home,
                                            os::FileSystem& files);

}  // namespace evener::app
