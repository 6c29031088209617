// The user's program: started as a child of the instance's init.
//
// Used by:  sandbox (instance init).
// Threads:  the init's only thread.
// Fails:    "cannot start python4: No such file or directory" when it cannot be executed.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "training/sandbox/instance_plan.h"

namespace evener::sandbox {

// Value of the last `name`=... in `environment`, or "".
std::string environment_value(const std::vector<std::string>& environment,
                              std::string_view name);

// Returns once the program has been executed. `output` becomes its stdout and stderr (none:
// /dev/null); its stdin is empty. It leads a session of its own, with default signals and a container's privileges.
Result<pid_t> start_program(const InstancePlan& plan, const Command& command, int output);

}  // namespace evener::sandbox
