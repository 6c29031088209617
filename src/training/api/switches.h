// Evener's own settings of a job, which travel as EVENER_* in the request's Environment because
// the API has no member for them.
//
// Used by:  api.
// Threads:  pure functions.
// Fails:    kInvalidArgument: unknown EVENER_* name (with the near miss), or a value that is none.
#pragma once

#include "base/result.h"
#include "training/jobs/jobs.h"

namespace evener::api {

// EVENER_AUXILIARY_GROUPS=a,b          groups that end with the others
// EVENER_STOP_GRACE_SECONDS=120        between SIGTERM and SIGKILL, at most a day
// EVENER_FIT=share|strict|scaled:0.25  how instance types map onto the machine
// EVENER_SHUFFLE_HOSTS=7               seed that deals hosts to groups at random
// EVENER_DATA_GROUPS=a,b, EVENER_DATA_TOKEN, EVENER_DATA_TOKEN_FILE  for programs in the job
// Reads spec.environment and spec.groups; sets the matching fields.
Status apply_switches(jobs::JobSpec& spec);

}  // namespace evener::api
