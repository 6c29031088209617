// What a user named on this machine and what is plainly not there: told before the job is made,
// since the job could only fail. What can change until it runs, or takes long to look at, is left
// to the job.
//
// Used by:  submission.
// Threads:  any; reads folders and opens files.
// Fails:    kNotFound and kInvalidArgument with what is missing; what the file system refuses.
#pragma once

#include "base/result.h"
#include "os/file_system.h"
#include "training/jobs/jobs.h"

namespace evener::app {

// Channels below file:// have at least one object, manifests can be read, and the source code
// with its entry point is there. SageMaker refuses a channel without objects at this point too.
Status check_local_inputs(const jobs::JobSpec& spec, os::FileSystem& files);

}  // namespace evener::app
