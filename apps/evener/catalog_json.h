// Rows of the catalogue and of the doctor as JSON objects, one a line.
//
// Used by:  instances, prices, doctor.
// Threads:  pure functions.
// Fails:    never.
#pragma once

#include <string>

#include "advice/catalog/catalog.h"
#include "training/sandbox/sandbox.h"

namespace evener::app {

// `price` may be null: no price for it in the region.
std::string instance_json(const catalog::InstanceType& type, const catalog::Price* price);
std::string price_json(const catalog::Price& price);
std::string ability_json(const sandbox::Ability& ability);

}  // namespace evener::app
