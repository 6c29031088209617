// Which isolation a job asks for, and which one jobs get that ask for none.
//
// Used by:  train, engine.
// Threads:  choose_isolation() before other threads exist (it may probe the machine).
// Fails:    kInvalidArgument on an unknown word.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "evener/home.h"
#include "os/file_system.h"
#include "training/jobs/jobs.h"
#include "training/sandbox/sandbox.h"

namespace evener::app {

// "namespaces", "plain", or "" for the best that works here. Probing makes a network namespace,
// and the kernel is slow to take one apart, just when the job needs its own: that namespaces
// work is remembered in the home for this boot, user and user namespace.
Result<sandbox::Isolation> choose_isolation(const std::string& word, const Home& home,
                                            os::FileSystem& files);

// What the job keeps, whichever process runs it; nothing for "".
Result<std::optional<jobs::Isolation>> wished_isolation(const std::string& word);

}  // namespace evener::app
