// What this version does with each member of a request: refuses it, or takes it without effect.
//
// Used by:  api.
// Threads:  pure functions over a request that satisfies its constraints.
// Fails:    findings are values: one text a member, in plain words.
#pragma once

#include <string>
#include <vector>

#include "base/document.h"

namespace evener::api {

// Members that ask for what is not there yet; each text says what works instead.
std::vector<std::string> unsupported_members(const document::Value& request);

// Members that are stored and have no effect, or another one than in the service.
std::vector<std::string> members_without_effect(const document::Value& request);

}  // namespace evener::api
