// The rules between members of a request that the service model does not state.
//
// Used by:  api.
// Threads:  pure functions over a request that satisfies its constraints.
// Fails:    findings are values: one text a broken rule, AWS's own words where they are known.
#pragma once

#include <string>
#include <vector>

#include "base/document.h"

namespace evener::api {

// Hosts of one job, over all groups.
inline constexpr std::int64_t kMostHosts = 256;
// 28 days, as the service.
inline constexpr std::int64_t kMostRuntimeSeconds = 28LL * 24 * 3600;

std::vector<std::string> broken_member_rules(const document::Value& request);

}  // namespace evener::api
