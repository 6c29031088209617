// Which isolation jobs of this process get.
//
// Used by:  train, engine.
// Threads:  call before other threads exist (it may probe the machine).
// Fails:    kInvalidArgument on an unknown word.
#pragma once

#include <string>

#include "base/result.h"
#include "training/sandbox/sandbox.h"

namespace evener::app {

// "namespaces", "plain", or "" for the best that works here.
Result<sandbox::Isolation> choose_isolation(const std::string& word);

}  // namespace evener::app
