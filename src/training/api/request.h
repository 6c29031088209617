// A checked request as a JobSpec.
//
// Used by:  api.
// Threads:  pure functions over a request that satisfies its constraints and rules.
// Fails:    never.
#pragma once

#include "base/document.h"
#include "training/jobs/jobs.h"

namespace evener::api {

// Everything but the switches in Environment. request_json is the request as it stands.
jobs::JobSpec spec_of(const document::Value& request);

}  // namespace evener::api
