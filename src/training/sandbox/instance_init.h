// The first process of an instance: PID 1 of its PID namespace.
//
// Used by:  sandbox, in the child of clone_process().
// Threads:  it has one.
// Fails:    what fails while the instance is made is the answer to kMount.
//
// It lives until its control channel ends or it is killed, and everything in the instance dies
// with it. It runs one program at a time and reaps what the instance leaves behind.
#pragma once

#include "os/unique_fd.h"
#include "training/sandbox/instance_plan.h"

namespace evener::sandbox {

[[noreturn]] void run_instance_init(const InstancePlan& plan, os::UniqueFd control);

}  // namespace evener::sandbox
